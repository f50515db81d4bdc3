/** How the operations on documents name organizations, and what is in them. */
import { formHeaders } from "../../../runtime/files/testing/forms.ts";
import type { JsonObject } from "../../../runtime/json.ts";
import { formSent } from "../send.ts";
import { type Ask, type Asks, bodies } from "./ask.ts";
import { fileAsks } from "./files.ts";
import { type Names, type Owned, owned } from "./town.ts";

/** Documents, by the operation and the rest of the path below the collection. */
export function documentAsks(title: string): Asks | undefined {
  const [, method, prefix = "", collection = "", rest = ""] =
    /^(\w+) ((?:\/_admin\/data)?\/main)\/(\w+)(\S*)$/.exec(title) ?? [];
  const path = `${prefix}/${collection}`;
  if (collection === "shelf") return prefix === "/main" ? shelf(method, path, rest) : undefined;
  const found = owned.find((each) => each === collection);
  if (found === undefined) return undefined;
  const kind = `${method} ${rest}`;
  switch (kind) {
    case "GET ":
      return (names) => lists(path, found, names);
    case "POST ":
      return (names) => creates(path, found, names);
    case "POST /_form":
      return (names) => creates(`${path}/_form`, found, names).map(inForm);
    case "GET /_aggregate":
      return (names) => aggregates(path, names);
    case "POST /_check":
      return () => [{ path: `${path}/_check` }];
    case "POST /_import":
      return ({ org, documents }) =>
        bodies(`${path}/_import`, { documents: [{ title: "mine", id: documents[found], _meta: { org } }] });
    case "POST /_assign_org":
      return ({ org }) => bodies(`${path}/_assign_org?dry_run=true`, { org, where: {} });
    case "POST /{id}/_transfer":
      return (names) => byId(path, found, names, "/_transfer", { org: names.org, team: names.team });
    case "GET /{id}":
      return (names) => reads(path, found, names);
    case "PUT /{id}":
    case "PATCH /{id}":
      return (names) => updates(path, found, names);
    case "DELETE /{id}":
      return (names) => [
        ...byId(path, found, names, "", undefined),
        ...(found === "wiki" ? byId(path, found, names, "?purge=true", undefined) : []),
      ];
    case "POST /{id}/restore":
      return (names) => byId(path, found, names, "/restore", undefined);
    default:
      return found === "tasks" ? fileAsks(path, kind) : undefined;
  }
}

const where = (condition: JsonObject): string => `where=${encodeURIComponent(JSON.stringify(condition))}`;

function lists(path: string, collection: Owned, names: Names): readonly Ask[] {
  const { org, team, documents, user } = names;
  const id = documents[collection];
  const queries = [
    `org=${org}`,
    `team=${team}`,
    `org=${org}&team=${team}&count=true`,
    `${where({ "_meta.org": org })}&count=true`,
    `${where({ "_meta.org": { $ne: org } })}&count=true`,
    where({ "_meta.team": { $in: [team] } }),
    where({ "_meta.owner": user }),
    where({ "_meta.created_by": `user:${user}` }),
    `${where({ id })}&count=true`,
    `${where({ id: { $gte: id } })}&count=true`,
    `order_by=id&after=${id}`,
    `order_by=-id&after=${id}`,
    `order_by=id&after=${id}&count=true&org=${org}`,
    ...(collection === "tasks" ? [`${where({ id })}&file_links=true`, "file_links=true&version=none"] : []),
    ...(collection === "wiki"
      ? [
          `${where({ id })}&deleted=include`,
          `org=${org}&deleted=only&count=true`,
          `${where({ $search: "keeps", "_meta.org": org })}&order_by=_relevance`,
          `${where({ task_id: documents.tasks })}&expand=task,pages,badge`,
          `${where({ page_ids: names.trashed })}&count=true`,
        ]
      : []),
  ];
  return queries.map((query) => ({ path: `${path}?${query}` }));
}

function aggregates(path: string, { org, documents }: Names): readonly Ask[] {
  return [
    `group_by=_meta.org&${where({ "_meta.org": org })}`,
    `metrics=count,sum:size,distinct:title&${where({ "_meta.org": org })}`,
    `metrics=count&${where({ id: documents.wiki })}`,
    `metrics=count&${where({ $search: "keeps", "_meta.org": org })}`,
  ].map((query) => ({ path: `${path}/_aggregate?${query}` }));
}

function creates(path: string, collection: Owned, { org, team, documents }: Names): readonly Ask[] {
  const id = collection === "handles" ? { id: `${documents.handles}-mine` } : {};
  const body = { title: "mine", ...id };
  return [
    ...bodies(`${path}?org=${org}`, body),
    { path: `${path}?org=${org}&team=${team}`, body },
    { path: `${path}?team=${team}`, body },
    { path: `${path}?org=${org}`, body: { ...id } },
    { path: `${path}?org=${org}`, body, headers: { "idempotency-key": `for-${org}` } },
  ];
}

/** As a form that brings the document. */
function inForm({ body, headers, ...ask }: Ask): Ask {
  return { ...ask, ...(body === undefined ? { headers: headers ?? formHeaders } : formSent(body, headers)) };
}

const conditions = ["*", '"1"', '"99"', 'W/"1"', '"1", "2"', "nonsense"] as const;

function reads(path: string, collection: Owned, { documents, trashed }: Names): readonly Ask[] {
  const one = `${path}/${documents[collection]}`;
  return [
    { path: one },
    ...conditions.map((condition) => ({ path: one, headers: { "if-none-match": condition } })),
    ...(collection === "tasks" ? [{ path: `${one}?file_links=true` }] : []),
    ...(collection === "wiki"
      ? [
          { path: `${one}?expand=task` },
          { path: `${path}/${trashed}` },
          { path: `${path}/${trashed}?deleted=only` },
          { path: `${path}/${trashed}?deleted=include` },
        ]
      : []),
  ];
}

function updates(path: string, collection: Owned, names: Names): readonly Ask[] {
  const { org, documents, trashed } = names;
  const one = `${path}/${documents[collection]}`;
  const body = { title: "mine" };
  return [
    ...bodies(one, body),
    { path: `${one}?org=${org}`, body },
    { path: one, body: { ...body, _meta: { org } } },
    { path: one, body: { title: 7 } },
    ...conditions.map((condition) => ({ path: one, body, headers: { "if-match": condition } })),
    ...(collection === "wiki" ? [{ path: `${path}/${trashed}`, body }] : []),
  ];
}

function byId(
  path: string,
  collection: Owned,
  { documents, trashed }: Names,
  rest: string,
  body: JsonObject | undefined,
): readonly Ask[] {
  const sent = body && { body };
  const one = `${path}/${documents[collection]}${rest}`;
  return [
    { path: one, ...sent },
    ...conditions.map((condition) => ({ path: one, ...sent, headers: { "if-match": condition } })),
    ...(collection === "wiki" ? [{ path: `${path}/${trashed}${rest}`, ...sent }] : []),
  ];
}

/** Documents of nobody's organization, which everybody sees, and which name those that are of one. */
function shelf(method = "", path: string, rest: string): Asks | undefined {
  const pointing = ({ documents }: Names) => ({ page_id: documents.wiki, task_ids: [documents.tasks] });
  const title = "points elsewhere";
  const none = `${path}/00000000000000000000`;
  switch (`${method} ${rest}`) {
    case "GET ":
      return (names) => [
        { path: `${path}?expand=page,tasks,badge,page.task` },
        { path: `${path}?org=${names.org}` },
      ];
    case "POST ":
      return (names) => [
        { path, body: { title, ...pointing(names) } },
        { path: `${path}?org=${names.org}`, body: { title } },
        { path: `${path}?team=${names.team}`, body: { title } },
      ];
    case "GET /{id}":
      return () => [{ path: none }];
    case "PUT /{id}":
    case "PATCH /{id}":
      return (names) => [{ path: `${none}?org=${names.org}`, body: { title, ...pointing(names) } }];
    case "DELETE /{id}":
      return () => [{ path: none }];
    default:
      return undefined;
  }
}

/** Batches of a database's documents. */
export function batch(names: Names): readonly Ask[] {
  const { org, team, documents, trashed } = names;
  const mine = { op: "create", collection: "shelf", document: { title: "mine" } };
  const create = { op: "create", collection: "wiki", document: { title: "mine" } };
  const operations = owned.flatMap((collection): readonly JsonObject[] => {
    const there = { collection, id: documents[collection] };
    return [
      { op: "patch", ...there, patch: { title: "mine" } },
      { op: "patch", ...there, patch: { title: "mine", _meta: { org } } },
      { op: "replace", ...there, document: { title: "mine" }, if_match: "1" },
      { op: "delete", ...there, if_match: "*" },
    ];
  });
  const path = "/main/_batch";
  return [
    ...[...operations, { op: "delete", collection: "wiki", id: trashed }].flatMap((operation) => [
      { path, body: { operations: [operation] } },
      { path, body: { operations: [mine, operation, mine] } },
    ]),
    { path: `${path}?org=${org}`, body: { operations: [create] } },
    { path: `${path}?org=${org}&team=${team}`, body: { operations: [create, create] } },
    { path: `${path}?team=${team}`, body: { operations: [create] } },
    { path: `${path}?org=${org}`, body: { operations: [mine] } },
    { path: `${path}?org=${org}`, body: { operations: [mine, create] } },
    {
      path: `${path}?org=${org}`,
      body: { operations: [create] },
      headers: { "idempotency-key": `batch-for-${org}` },
    },
  ];
}
