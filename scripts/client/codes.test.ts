/** The error codes of the clients' types are those of the OpenAPI documents, operation by operation. */
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { clientMethod } from "../../runtime/contract/contract.ts";
import { contracts } from "../../runtime/contract/index.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { root, withWorkspace } from "../workspace.ts";
import { problems } from "./compilers.ts";

/** What a path below `/v1/{realm}/` is in the client, by method. */
const ofCollections: readonly [RegExp, Record<string, readonly string[]>][] = [
  [/^$/, { get: ["list", "count"], post: ["create"] }],
  [/^\/\{id\}$/, { get: ["get"], put: ["replace"], patch: ["patch"], delete: ["delete"] }],
  [/^\/\{id\}\/restore$/, { post: ["restore"] }],
  [/^\/_form$/, { post: ["createWithFiles"] }],
  [/^\/_aggregate$/, { get: ["aggregate"] }],
  [/^\/\{id\}\/_files\/\w+(?:\/_uploads(?:\/\{upload\}\/complete)?)?$/, { post: ["upload"] }],
  [/^\/\{id\}\/_files\/\w+\/\{file\}$/, { get: ["download"], delete: ["removeFile"] }],
];

/** For whichever collection: their types have the codes of all. */
const ofAnyCollection: Record<string, readonly string[]> = {
  "/_check": ["checkDocuments"],
  "/_import": ["importDocuments"],
  "/_transfer": ["transferDocument"],
  "/_assign_org": ["assignOrganization", "countAssignable"],
};

/** Of the job of a queued call. */
const ofJobs: Record<string, string> = { get: "status", delete: "cancel" };

/** Instead of a member's name: any of them, and what a method answers. */
const any = "*";
const answered = "()";

function typeOf(members: readonly string[]): string {
  return members.reduce((type, name) => {
    if (name === answered) return `ReturnType<${type}>`;
    return name === any ? `(${type})[keyof ${type}]` : `${type}[${JSON.stringify(name)}]`;
  }, "Client");
}

/** Where the operation is in the type `Client`; none for what the client does not do. */
function membersOf(path: string, method: string): readonly (readonly string[])[] {
  const route = contracts.find((each) => each.path === `/${path}` && each.method.toLowerCase() === method);
  if (route !== undefined)
    return [clientMethod(route)?.method.split(".") ?? []].filter(({ length }) => length > 0);
  const administered = /^_admin\/data\/(.*)$/.exec(path)?.[1];
  if (administered !== undefined) {
    const [, whole] = Object.entries(ofAnyCollection).find(([end]) => administered.endsWith(end)) ?? [];
    if (whole !== undefined) return whole.map((name) => ["$admin", name]);
    return membersOf(administered, method).map((members) => ["$admin", "data", ...members]);
  }
  const [, calling = "", called = ""] = /^([^/]+)\/_func\/([^/]+)$/.exec(path) ?? [];
  if (called !== "") return [["call", calling, called]];
  const [, database = "", collection = "", rest = ""] = /^([^/]+)\/([^/]+)(.*)$/.exec(path) ?? [];
  if (collection === "_jobs") return [["call", database, any, "job", answered, ofJobs[method] ?? "?"]];
  if (collection === "_batch") return [[database, "$batch"]];
  const operations = ofCollections.find(([pattern]) => pattern.test(rest))?.[1];
  return (operations?.[method] ?? ["?"]).map((name) => [database, collection, name]);
}

/** Every `code` with an enumeration in a response, references followed. */
function codesIn(document: JsonObject, value: JsonValue | undefined, seen = new Set<string>()): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => codesIn(document, each, seen));
  if (!isJsonObject(value)) return [];
  const { $ref, code } = value;
  if (typeof $ref === "string") {
    if (seen.has($ref)) return [];
    return codesIn(document, at(document, $ref), new Set([...seen, $ref]));
  }
  const lists = isJsonObject(code) ? [code, ...(Array.isArray(code["anyOf"]) ? code["anyOf"] : [])] : [];
  const named = lists.flatMap((list) =>
    isJsonObject(list) && Array.isArray(list["enum"]) ? list["enum"].map(String) : [],
  );
  return [...named, ...Object.values(value).flatMap((each) => codesIn(document, each, seen))];
}

function at(document: JsonObject, ref: string): JsonValue | undefined {
  const steps = ref.slice(2).split("/");
  return steps.reduce<JsonValue | undefined>(
    (value, step) => (isJsonObject(value) ? value[step] : undefined),
    document,
  );
}

/** Of requests that are no operation's. */
const ofNoOperation = [
  "bad_request",
  "method_not_allowed",
  "request_timeout",
  "request_header_fields_too_large",
];

/** A statement for the compiler for all codes of the document, and for each of its operations. */
function statements(realm: string): string[] {
  const document: JsonObject = JSON.parse(
    readFileSync(join(root, `generated/${realm}/openapi.json`), "utf8"),
  );
  const paths = isJsonObject(document["paths"]) ? document["paths"] : {};
  const all = [...new Set(codesIn(document, paths)), ...ofNoOperation];
  const whole = `same<ErrorCode, ${all.map((code) => JSON.stringify(code)).join(" | ")}>(true);`;
  const each = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(isJsonObject(item) ? item : {}).flatMap(([method, operation]) => {
      if (!isJsonObject(operation)) return [];
      // Programs elsewhere send those.
      if (String(operation["operationId"]).startsWith("webhook")) return [];
      const codes = [...new Set(codesIn(document, operation["responses"]))].sort();
      return membersOf(path.slice(`/v1/${realm}/`.length), method).map((members) => {
        const verdict = /\/_(?:transfer|assign_org|form|func\/\w+)$|\/_files\//.test(path) ? "some" : "same";
        return `${verdict}<CodeOf<${typeOf(members)}>, ${codes.map((code) => JSON.stringify(code)).join(" | ")}>(true);`;
      });
    }),
  );
  return [whole, ...each];
}

const realms = ["blog", "helpdesk", "inventory"];

/** What the compiler finds wrong with the statements of all realms, which are one program. */
let found: readonly string[];
beforeAll(async () => {
  found = await withWorkspace((folder) => {
    const files = realms.map((realm) => {
      const file = join(folder, `${realm}.ts`);
      writeFileSync(file, program(realm, folder));
      return relative(root, file);
    });
    return problems("typescript-5.9", "browser", files);
  });
}, 120_000);

function program(realm: string, folder: string): string {
  const client = relative(folder, join(root, `generated/${realm}/client.ts`));
  return [
    `import type { Client, CodeOf, ErrorCode } from ${JSON.stringify(client)};`,
    "declare function same<A, B>(verdict: [A] extends [B] ? ([B] extends [A] ? true : [missing: Exclude<B, A>]) : [more: Exclude<A, B>]): void;",
    "declare function some<A, B>(verdict: [B] extends [A] ? true : [missing: Exclude<B, A>]): void;",
    ...statements(realm),
  ].join("\n");
}

it.each(realms)("%s", (realm) => {
  const lines = statements(realm);
  expect(lines.length).toBeGreaterThan(20);
  const mine = found.filter((each) => each.includes(`/${realm}.ts:`));
  expect(mine.map((each) => `${lines[Number(/:(\d+):/.exec(each)?.[1]) - 4]}: ${each}`)).toEqual([]);
});

it("and nothing else is wrong with the clients", () => {
  expect(found.filter((each) => !realms.some((realm) => each.includes(`/${realm}.ts:`)))).toEqual([]);
});
