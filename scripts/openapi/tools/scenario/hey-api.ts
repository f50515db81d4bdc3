/** helpdesk and inventory by way of the SDKs that hey-api makes. */
import { client as helpdesk } from "../clients/helpdesk/client.gen.ts";
import {
  createOrganization,
  createSupportTicketsDocument,
  deleteSupportTicketsDocument,
  getSupportTicketsDocument,
  listSupportTickets,
  patchSupportTicketsDocument,
  signUp,
} from "../clients/helpdesk/index.ts";
import { client as inventory } from "../clients/inventory/client.gen.ts";
import {
  createStockItemsDocument,
  deleteStockItemsDocument,
  listStockItems,
} from "../clients/inventory/index.ts";
import { given, same, server, status } from "./expect.ts";

/** Lists are one parameter, their entries with commas between them; conditions are JSON. hey-api does neither by itself. */
function querySerializer(query: Record<string, unknown>): string {
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(written(value))}`)
    .join("&");
}

function written(value: unknown): string {
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const baseUrl = server();
helpdesk.setConfig({ baseUrl, querySerializer });
const { session } = given(await signUp({ body: { email: "hey@example.com", password: "correct horse" } }));
helpdesk.setConfig({ auth: session.token ?? "" });

const { id: org } = given(await createOrganization({ body: { name: "By hey" } }));

const made = await createSupportTicketsDocument({
  query: { org },
  body: { subject: "It smokes", status: "open", priority: 2, tags: ["printer"] },
});
status(201, made);
const path = { id: given(made).id };
const etag = made.response?.headers.get("ETag") ?? "";

const page = given(
  await listSupportTickets({
    query: {
      where: { status: "open", priority: { $gte: 2 }, $or: [{ tags: "printer" }] },
      order_by: ["-priority", "id"],
      count: true,
    },
  }),
);
same([page.total, page.items.map(({ id }) => id)], [1, [path.id]]);

const headers = { "If-Match": etag };
const changed = await patchSupportTicketsDocument({ path, headers, body: { priority: 4, tags: null } });
status(200, changed);
same([given(changed).priority, given(changed).tags], [4, undefined]);

const late = await patchSupportTicketsDocument({ path, headers, body: { priority: 1 } });
status(412, late);
// The error's type is one of the operation's codes.
if (late.error === undefined) throw new Error("no error");
const { code } = late.error.error;
same<typeof code>(code, "version_mismatch");

status(204, await deleteSupportTicketsDocument({ path }));
status(404, await getSupportTicketsDocument({ path }));

inventory.setConfig({ baseUrl, querySerializer });
const item = given(
  await createStockItemsDocument({ body: { sku: "HEY-1", name: "Bolt", unit: "piece", price: 0.2 } }),
);
const cheap = given(await listStockItems({ query: { where: { price: { $lt: 1 } } } }));
same(
  cheap.items.map(({ sku }) => sku),
  ["HEY-1"],
);
const again = await createStockItemsDocument({ body: { sku: "HEY-1", name: "Bolt", unit: "piece" } });
status(409, again);
same(again.error?.error.details?.[0]?.path, "sku");
const wrong = await createStockItemsDocument({ body: { sku: "x", name: "", unit: "piece" } });
status(400, wrong);
same(wrong.error?.error.code, "validation_error");
status(204, await deleteStockItemsDocument({ path: { id: item.id }, headers: { "If-Match": '"1"' } }));
console.log("done");
