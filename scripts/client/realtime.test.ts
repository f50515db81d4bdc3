/** The client of realms in which collections can be followed: what compiles and what does not. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import type { Realm } from "../../compiler/model/model.ts";
import { isFull } from "../../runtime/testing/random.ts";
import { clientFile } from "../../templates/client/file.ts";
import { codesOf } from "../../templates/openapi/codes.ts";
import { openapiDocument } from "../../templates/openapi/document.ts";
import { collectionOf, declaredField, organizations, realmOf } from "../../templates/testing/models.ts";
import { root, withWorkspace } from "../workspace.ts";
import { compilers, problems } from "./compilers.ts";

const fields = [
  declaredField("due", { kinds: ["date", "date-time"] }),
  declaredField("lines", { kinds: ["object"], arrays: ["lines"], scalar: false }),
  declaredField("lines.sku", { arrays: ["lines"] }),
  declaredField("mixed", { kinds: ["string", "integer"] }),
  declaredField("paid", { kinds: ["boolean"] }),
  declaredField("status", { values: ["done", "open"] }),
  declaredField("total", { kinds: ["number"], nullable: true }),
];
const followed = collectionOf("shop", "sales", "orders", { fields, softDelete: {} });
const orders = { ...followed, realtime: { span: followed.span } };
const notes = collectionOf("shop", "sales", "notes", { fields: [declaredField("status")] });
const others = collectionOf("shop", "other", "things", {});

const settings: readonly (readonly [string, Partial<Realm>])[] = [
  ["without accounts", {}],
  ["with accounts and organizations", { auth: true, organizations }],
];

/** Every wrong line is expected to be refused: one that is not is a problem. */
const typing = `
import { createClient, type Live, type SalesOrdersDocument, type SubscriptionEnd } from "./client.ts";

const client = createClient({ baseUrl: "https://api.example.com" });
const { sales, $admin } = client;

export async function typed(): Promise<void> {
  const live: Live<SalesOrdersDocument> = sales.orders.live(
    {
      where: { status: { $in: ["open"] }, total: { $gt: 1 }, due: { $lt: new Date() }, $or: [{ paid: true }, { "lines.sku": "a" }] },
      order_by: ["-total", "due", "_meta.created_at"],
      limit: 10,
    },
    (documents, { added, removed }) => console.log(documents[0]?.id, added.length, removed[0]?._meta.version),
  );
  for await (const { documents, has_more, updated } of live) console.log(documents.length, has_more, updated[0]?.id);
  sales.orders.live("o1", { change: (documents) => documents[0]?._meta, state: (state) => state === "behind", ended: told });
  sales.orders.live({});
  live.close();
  const { close } = sales.orders.subscribe({ status: "open" }, {
    created: ({ id }) => id,
    removed: ({ version }) => version + 1,
    reset: (reason) => reason === "access_changed",
    ended: told,
  });
  close();
  sales.orders.subscribe("o1", { ready: () => sales.orders.get("o1") });
  await sales.orders.list({ where: { status: { $like: "o%" } } });
  await sales.$batch([]);
}

function told(end: SubscriptionEnd): string {
  if (end.reason === "refused") return end.error.code;
  return end.reason === "session_ended" ? end.why : end.error.message;
}

export function refused(): void {
  // @ts-expect-error no realtime there
  sales.notes.live({});
  // @ts-expect-error no realtime there
  client.other.things.subscribe({}, {});
  // @ts-expect-error administrators follow as everybody does
  $admin.data.sales.orders.live({});
  // @ts-expect-error not a field
  sales.orders.live({ where: { state: "open" } });
  // @ts-expect-error not a value
  sales.orders.live({ where: { status: "opened" } });
  // @ts-expect-error no text operators
  sales.orders.live({ where: { status: { $like: "o%" } } });
  // @ts-expect-error no text operators, in groups neither
  sales.orders.subscribe({ $or: [{ id: { $startsWith: "a" } }] }, {});
  // @ts-expect-error no search
  sales.orders.live({ where: { $search: "a" } });
  // @ts-expect-error deleted documents are not seen
  sales.orders.live({ where: { "_meta.deleted_at": { $isNull: true } } });
  // @ts-expect-error an array gives no cursor
  sales.orders.live({ order_by: ["lines.sku"] });
  // @ts-expect-error several types give no cursor
  sales.orders.live({ order_by: ["mixed"] });
  // @ts-expect-error not a field
  sales.orders.live({ order_by: ["-state"] });
  // @ts-expect-error no such option
  sales.orders.live({ expand: ["customer"] });
  // @ts-expect-error no such event
  sales.orders.subscribe({}, { changed: () => undefined });
  // @ts-expect-error arrays are as they are
  sales.orders.live({}).documents.push();
}
`;

function codesIn(realm: Realm): readonly string[] {
  return codesOf(
    openapiDocument(realm, {
      collections: new Map(),
      functions: new Map(),
      migrations: new Map(),
      diagnostics: [],
    }),
  );
}

describe.each(settings)("a realm %s", (_, further) => {
  // All, or each once.
  const chosen = compilers
    .map((name, at) => [name, at] as const)
    .filter(([, at]) => isFull || at > 0 === (further.auth === true));
  const realm = realmOf("shop", [orders, notes, others], further);

  it("has typed members for the collections with realtime, and only for those", async () => {
    const { text } = await clientFile(realm, codesIn(realm));
    await withWorkspace((folder) => {
      mkdirSync(folder, { recursive: true });
      const files = Object.entries({ "client.ts": text, "typing.ts": typing });
      for (const [name, content] of files) writeFileSync(join(folder, name), content);
      const paths = files.map(([name]) => relative(root, join(folder, name)));
      for (const [compiler, at] of chosen)
        expect(problems(compiler, at % 2 === 0 ? "browser" : "node", paths), compiler).toEqual([]);
    });
  }, 120_000);

  it("without such a collection has nothing of it", async () => {
    const unfollowed = realmOf("shop", [followed, notes, others], further);
    const { text } = await clientFile(unfollowed, codesIn(unfollowed));
    expect(text).not.toMatch(
      /realtime|resume_token|too_many_subscriptions|EventParser|StreamConnection|LiveQuery|Follow/,
    );
  });
});
