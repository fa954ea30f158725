/** The client against a real server; scripts/typescript starts it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, ErstwhileError } from "../dist/index.js";

const address = process.env.ERSTWHILE_ADDRESS ?? "";
const memory = connect(address, { token: process.env.ERSTWHILE_TOKEN ?? "" });
const ana = memory.scoped({ user: "ana" });

test("facts are stored, found, changed and deleted", async () => {
  const fact = await ana.remember({ text: "Ana prefers pnpm over npm", kind: "preference" });
  assert.equal(fact.state, "live");
  const hits = await ana.recall({ query: "what does Ana prefer, pnpm or npm?" });
  const found = hits.hits.map((each) => ("text" in each.record ? each.record.text : ""));
  assert.equal(found[0], "Ana prefers pnpm over npm");
  const changed = await ana.facts.replace({ id: fact.id, new_text: "Ana prefers bun" });
  assert.equal(changed.text, "Ana prefers bun");
  const page = await ana.facts.list({ kind: "preference", limit: 5 });
  assert.deepEqual(page.items.map((each) => each.text), ["Ana prefers bun"]);
  await ana.facts.delete({ id: changed.id });
  assert.equal((await ana.facts.list()).items.length, 0);
});

test("another user sees nothing", async () => {
  await ana.remember({ text: "Ana keeps a parrot" });
  const hits = await memory.scoped({ user: "ben" }).recall({ query: "who keeps a parrot?" });
  assert.equal(hits.hits.length, 0);
});

test("a user with any name has a scope of its own", async () => {
  const one = memory.scoped({ user: "Zoë/../ana" });
  await one.remember({ text: "Zoë likes tea" });
  assert.deepEqual((await one.facts.list()).items.map((each) => each.text), ["Zoë likes tea"]);
});

test("turns are learned from, and contexts are made", async () => {
  const turn = { user: "We use npm for the shop.", assistant: "Noted.", wait: true };
  await ana.observe_turn(turn);
  const context = await ana.context({ query: "how do we install a package for the shop?" });
  assert.match(context.text, /npm/);
});

test("a block is changed only in the version that was read", async () => {
  const block = await ana.blocks.add({ name: "notes", content: "one" });
  await ana.blocks.update({ name: "notes", content: "two" }, { version: block.version });
  await assert.rejects(
    ana.blocks.update({ name: "notes", content: "three" }, { version: block.version }),
    (error) => error instanceof ErstwhileError && error.status === 412,
  );
});

test("errors have a code and a remedy", async () => {
  await assert.rejects(ana.remember({ text: " " }), (error) => {
    assert.ok(error instanceof ErstwhileError);
    assert.equal(error.code, "invalid_input");
    return true;
  });
  await assert.rejects(ana.facts.get({ id: "" }), { code: "invalid_input" });
  const stranger = connect(address, { token: "wrong" });
  await assert.rejects(stranger.ping(), { status: 401 });
});

test("an aborted call ends", async () => {
  const signal = AbortSignal.abort();
  await assert.rejects(ana.recall({ query: "tea" }, { signal }), { name: "AbortError" });
});
