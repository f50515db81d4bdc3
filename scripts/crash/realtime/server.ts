/** A server process whose documents in `main/posts` and `main/tasks` are followed: who is signed in reads all of them. */
import { batchRoute } from "../../../runtime/documents/routes/batch.ts";
import { createDocument } from "../../../runtime/documents/routes/create.ts";
import { deleteDocument } from "../../../runtime/documents/routes/delete.ts";
import { getDocument } from "../../../runtime/documents/routes/get.ts";
import { listDocuments } from "../../../runtime/documents/routes/list.ts";
import { patchDocument } from "../../../runtime/documents/routes/update.ts";
import { eq } from "../../../runtime/filter/algebra.ts";
import { documentFields, field } from "../../../runtime/filter/fields.ts";
import type { CollectionDefinition } from "../../../runtime/realm/definition.ts";
import { realtimeRoutes } from "../../../runtime/realtime/route.ts";
import { allowed, byCaller } from "../../../runtime/rules/index.ts";
import { realmAsked, serve } from "../serve.ts";

const realm = realmAsked();
const open = field("open", "boolean");
const isUser = byCaller(({ user }) => user !== undefined);

function followed(name: string): CollectionDefinition {
  return {
    realm,
    database: "main",
    name,
    fields: { ...documentFields, open, rank: field("rank", "integer"), memo: field("memo", "string") },
    indexes: [],
    validate: () => true,
    realtime: true,
    rules: {
      read: {
        possible: () => true,
        filter: (context) => (isUser.check(context) ? allowed.filter(context) : eq(open, true)),
        check: (context, document: { readonly open?: unknown }) =>
          isUser.check(context) || document.open === true,
      },
      create: allowed,
      update: allowed,
      delete: allowed,
    },
    fieldRules: [{ path: ["memo"], read: isUser }],
  };
}

const collections = ["posts", "tasks"].map(followed);
const path = `/v1/${realm}/main`;

await serve(realm, collections, [
  realtimeRoutes(realm),
  { [`${path}/_batch`]: { POST: batchRoute("main", collections) } },
  ...collections.map((each) => ({
    [`${path}/${each.name}`]: { GET: listDocuments(each), POST: createDocument(each) },
    [`${path}/${each.name}/:id`]: {
      GET: getDocument(each),
      PATCH: patchDocument(each),
      DELETE: deleteDocument(each),
    },
  })),
]);
