/** Client for an Erstwhile server: the verbs of a memory, typed from its OpenAPI document. */

import type { operations } from "./schema.js";
import { requests } from "./verbs.js";

type Empty = Record<never, never>;
type Operation<Name extends Verb> = operations[Name];
type Known<Found> = [NonNullable<Found>] extends [never] ? Empty : NonNullable<Found>;
type In<Op, Place extends "path" | "query"> = Op extends { parameters: infer Parameters }
  ? Place extends keyof Parameters
    ? Known<Parameters[Place]>
    : Empty
  : Empty;
type Body<Op> = Op extends { requestBody: { content: { "application/json": infer Found } } }
  ? Found
  : Op extends { requestBody?: { content: { "application/json": infer Found } } }
    ? Partial<Found>
    : Empty;

/** The name of a verb, such as `recall` or `facts.list`. */
export type Verb = keyof typeof requests & keyof operations;
/** The arguments of a verb by name. */
export type Arguments<Name extends Verb> = In<Operation<Name>, "path"> &
  In<Operation<Name>, "query"> &
  Body<Operation<Name>>;
/** The result of a verb. */
export type Result<Name extends Verb> = Operation<Name> extends {
  responses: { 200: { content: { "application/json": infer Found } } };
}
  ? Found
  : null;

type Call<Name extends Verb> = Empty extends Arguments<Name>
  ? (given?: Arguments<Name>, options?: CallOptions) => Promise<Result<Name>>
  : (given: Arguments<Name>, options?: CallOptions) => Promise<Result<Name>>;
type Top = { [Name in Verb as Name extends `${string}.${string}` ? never : Name]: Call<Name> };
type Collections = {
  [Name in Verb as Name extends `${infer Collection}.${string}` ? Collection : never]: unknown;
};
type Grouped = {
  [Collection in keyof Collections]: {
    [Name in Verb as Name extends `${Collection & string}.${infer Method}` ? Method : never]: Call<Name>;
  };
};

/** The scope of a memory. A dimension that is left out shows only what is shared on it. */
export interface Scope {
  user?: string;
  agent?: string;
  project?: string;
  session?: string;
}

/** How to reach a server. */
export interface Options extends Scope {
  token: string;
  /** The name on the audit trail. */
  actor?: string;
  /** Milliseconds to wait for an answer; 60,000 by default. */
  timeout?: number;
  fetch?: typeof fetch;
}

/** Options of one call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** The version that is changed; the call fails if there is a newer one. */
  version?: number;
}

/** An error of the server, with the code of the Python exception and a remedy. */
export class ErstwhileError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly remedy: string,
    readonly status: number,
  ) {
    super(remedy ? `${message}: ${remedy}` : message);
    this.name = "ErstwhileError";
  }
}

/** A memory on a server: `memory.recall({query})`, `memory.facts.list({limit: 5})`. */
export type Memory = Top &
  Grouped & {
    /** The same memory with a narrower scope. */
    scoped(scope: Scope): Memory;
  };

const ATTEMPTS = 4;
const TIMEOUT = 60_000;
const RETRYABLE = new Set([429, 502, 503, 504]);

/** Return the memory of a token on a server. Nothing is sent before the first verb. */
export function connect(address: string, options: Options): Memory {
  const root: Record<string, unknown> = {
    scoped: (scope: Scope) => connect(address, { ...options, ...scope }),
  };
  for (const name of Object.keys(requests) as Verb[]) {
    const [collection, method] = name.includes(".") ? name.split(".") : [undefined, name];
    const home = collection ? ((root[collection] ??= {}) as Record<string, unknown>) : root;
    home[method!] = (given: Record<string, unknown> = {}, more: CallOptions = {}) =>
      send(address, options, name, given, more);
  }
  return root as Memory;
}

async function send(
  address: string,
  options: Options,
  name: Verb,
  given: Record<string, unknown>,
  more: CallOptions,
): Promise<unknown> {
  const [method, path] = requests[name];
  const rest = { ...given };
  const filled = path.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const value = rest[parameter];
    delete rest[parameter];
    if (value === undefined || value === "")
      throw new ErstwhileError("invalid_input", `${name} needs ${parameter}`, "give it", 0);
    return encodeURIComponent(String(value));
  });
  const hasBody = ["POST", "PUT", "PATCH"].includes(method);
  const query = hasBody ? "" : searchOf(rest);
  const init: RequestInit = { method, headers: headersOf(options, method, more), redirect: "error" };
  if (hasBody) init.body = JSON.stringify(rest);
  return answer(`${address.replace(/\/$/, "")}${filled}${query}`, init, options, more);
}

/** Send a request, again if the server is busy: a change has a key, so it is made once. */
async function answer(
  url: string,
  init: RequestInit,
  options: Options,
  more: CallOptions,
): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const limit = AbortSignal.timeout(options.timeout ?? TIMEOUT);
    const signal = more.signal ? AbortSignal.any([more.signal, limit]) : limit;
    const response = await (options.fetch ?? fetch)(url, { ...init, signal });
    if (response.ok) return response.status === 204 ? null : response.json();
    if (!RETRYABLE.has(response.status) || attempt === ATTEMPTS) throw await errorOf(response);
    const pause = Number(response.headers.get("retry-after")) || 2 ** attempt / 10;
    await new Promise((resolve) => setTimeout(resolve, pause * 1000));
  }
}

function headersOf(options: Options, method: string, more: CallOptions): Record<string, string> {
  const headers: Record<string, string> = { authorization: `Bearer ${options.token}` };
  for (const name of ["user", "agent", "project", "session", "actor"] as const) {
    const value = options[name];
    if (value !== undefined) headers[`erstwhile-${name}`] = encodeURIComponent(value);
  }
  if (method !== "GET") {
    headers["content-type"] = "application/json";
    headers["idempotency-key"] = crypto.randomUUID();
  }
  if (more.version !== undefined) headers["if-match"] = `"${more.version}"`;
  return headers;
}

function searchOf(given: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined && each !== null)
        query.append(name, typeof each === "object" ? JSON.stringify(each) : String(each));
  return query.size ? `?${query}` : "";
}

async function errorOf(response: Response): Promise<ErstwhileError> {
  const told = (await response.json().catch(() => ({}))) as Record<string, string | undefined>;
  const message = told.detail ?? told.title ?? response.statusText;
  return new ErstwhileError(told.code ?? "http", message, told.remedy ?? "", response.status);
}
