// Renders the OpenAPI document of this server. Every text is set as text, so nothing in it is markup.

const found = (id) => document.getElementById(id);

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((each) => each !== null && each !== undefined));
  return made;
}

const code = (text) => element("code", { textContent: text });
const soft = (text) => element("span", { className: "soft", textContent: text });
const json = (value) => element("pre", { textContent: JSON.stringify(value, null, 2) });

function main(api) {
  found("version").textContent = api.info.version;
  found("about").textContent = api.info.description;
  found("operations").replaceChildren();
  const groups = new Map();
  for (const [path, methods] of Object.entries(api.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0];
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(row(api, path, method.toUpperCase(), operation));
    }
  for (const [tag, rows] of groups) {
    found("tags").append(element("a", { href: `#${tag}`, textContent: tag }));
    found("operations").append(element("section", { id: tag }, element("h2", { textContent: tag }), ...rows));
  }
  found("search").addEventListener("input", search);
  open();
  addEventListener("hashchange", open);
}

function row(api, path, method, operation) {
  const head = element("summary", {}, element("span", { className: "method", textContent: method }),
    code(path), soft(operation.summary));
  const made = element("details", { id: operation.operationId }, head);
  made.dataset.words = `${method} ${path} ${operation.operationId} ${operation.summary}`.toLowerCase();
  made.addEventListener("toggle", () => made.children.length > 1 || made.append(body(api, path, method, operation)));
  return made;
}

function body(api, path, method, operation) {
  const made = element("div", { className: "body" });
  made.append(element("p", { textContent: `${operation.summary} ${operation.description || ""}` }));
  if (operation["x-right"]) made.append(element("p", {}, "Right: ", code(operation["x-right"])));
  const parameters = (operation.parameters || []).map((each) => resolve(api, each));
  const request = first(operation.requestBody?.content);
  section(made, "Path and query", fields(api, parameters.filter((each) => each.in !== "header")));
  if (request) section(made, "Body", properties(api, request.schema));
  section(made, "Headers", fields(api, parameters.filter((each) => each.in === "header")));
  section(made, "Example", element("pre", { textContent: curl(path, method, parameters, operation, request) }));
  const answer = first(operation.responses["200"].content);
  section(made, "Answer", properties(api, answer.schema));
  if (answer.example !== undefined)
    made.append(typeof answer.example === "string" ? element("pre", { textContent: answer.example }) : json(answer.example));
  const errors = Object.keys(operation.responses).filter((each) => each !== "200");
  made.append(element("p", {}, soft(`Errors: ${errors.join(", ")}`)));
  return made;
}

function section(made, title, content) {
  if (content) made.append(element("h3", { textContent: title }), content);
}

const first = (content) => content && Object.values(content)[0];

function resolve(api, part) {
  if (!part.$ref) return part;
  const target = part.$ref.split("/").slice(1).reduce((place, name) => place[name], api);
  return { ...target, ...part, $ref: undefined, name: target.name ?? part.$ref.split("/").pop() };
}

function fields(api, parameters) {
  return table(parameters.map((each) => [each.name, each.required, each.schema, each.description]));
}

function properties(api, schema) {
  const whole = resolve(api, schema);
  if (!whole.properties) return element("p", {}, code(kind(schema)));
  const required = new Set(whole.required || []);
  return table(Object.entries(whole.properties).map(([name, each]) => [name, required.has(name), each, each.description]));
}

function table(rows) {
  if (!rows.length) return null;
  return element("table", {}, ...rows.map(([name, required, schema, description]) => element("tr", {},
    element("td", {}, code(name), soft(required ? " required" : "")),
    element("td", {}, code(kind(schema))),
    element("td", { textContent: description || "" }))));
}

function kind(schema) {
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.anyOf) return schema.anyOf.map(kind).join(" | ");
  if (schema.enum) return schema.enum.join(" | ");
  if (schema.type === "array") return `[${schema.items ? kind(schema.items) : (schema.prefixItems || []).map(kind).join(", ")}]`;
  const range = schema.minimum !== undefined && Math.abs(schema.minimum) < 2 ** 62 ? ` ${schema.minimum}…${schema.maximum}` : "";
  const usual = schema.default !== undefined ? ` = ${JSON.stringify(schema.default)}` : "";
  return `${schema.format || schema.type || "any"}${range}${usual}`;
}

function curl(path, method, parameters, operation, request) {
  const shown = parameters.filter((each) => each.example !== undefined);
  let address = path;
  for (const each of shown.filter((one) => one.in === "path"))
    address = address.replace(`{${each.name}}`, encodeURIComponent(each.example));
  const query = shown.filter((each) => each.in === "query")
    .map((each) => `${each.name}=${encodeURIComponent(each.example)}`).join("&");
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}'${location.origin}${address}${query ? `?${query}` : ""}'`];
  if (operation.security?.length !== 0) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (request) {
    const type = Object.keys(operation.requestBody.content)[0];
    const sent = typeof request.example === "string" ? request.example.trim() : JSON.stringify(request.example);
    lines.push(`-H 'Content-Type: ${type}'`, `--data-binary '${sent.replaceAll("'", "'\\''")}'`);
  }
  return lines.join(" \\\n  ");
}

function search() {
  const words = found("search").value.toLowerCase().split(/\s+/);
  for (const part of document.querySelectorAll("section")) {
    const rows = [...part.querySelectorAll("details")];
    for (const each of rows) each.hidden = !words.every((word) => each.dataset.words.includes(word));
    part.hidden = rows.every((each) => each.hidden);
  }
}

function open() {
  const wanted = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (wanted?.tagName === "DETAILS") wanted.open = true;
  wanted?.scrollIntoView();
}

fetch("v1/openapi.json")
  .then((answer) => answer.json())
  .then(main)
  .catch((error) => found("operations").replaceChildren(`The document cannot be read: ${error.message}`));
