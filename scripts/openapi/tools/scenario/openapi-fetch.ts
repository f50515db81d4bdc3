/** helpdesk and inventory by way of openapi-typescript's types and openapi-fetch. */
import createClient from "openapi-fetch";
import type { components, paths as Helpdesk } from "../clients/helpdesk.js";
import type { paths as Inventory } from "../clients/inventory.js";
import { given, same, server, status } from "./expect.ts";

type SupportTicketsWhere = components["schemas"]["SupportTicketsWhere"];

const options = {
  baseUrl: server(),
  // Lists are one parameter, their entries with commas between them.
  querySerializer: { array: { style: "form", explode: false } },
} as const;
const mergePatch = { "Content-Type": "application/merge-patch+json" };

const helpdesk = createClient<Helpdesk>(options);
const { session } = given(
  await helpdesk.POST("/v1/helpdesk/_auth/signup", {
    body: { email: "fetch@example.com", password: "correct horse" },
  }),
);
helpdesk.use({
  onRequest({ request }) {
    request.headers.set("Authorization", `Bearer ${session.token}`);
    return request;
  },
});

const { id: org } = given(await helpdesk.POST("/v1/helpdesk/_orgs", { body: { name: "By fetch" } }));

const tickets = "/v1/helpdesk/support/tickets";
const made = await helpdesk.POST(tickets, {
  params: { query: { org } },
  body: { subject: "It smokes", status: "open", priority: 2, tags: ["printer"] },
});
status(201, made);
const ticket = given(made);
const etag = made.response.headers.get("ETag") ?? "";

const where: SupportTicketsWhere = { status: "open", priority: { $gte: 2 }, $or: [{ tags: "printer" }] };
const page = given(
  await helpdesk.GET(tickets, {
    params: { query: { where: JSON.stringify(where), order_by: ["-priority", "id"], count: true } },
  }),
);
same([page.total, page.items.map(({ id }) => id)], [1, [ticket.id]]);

const one = `${tickets}/{id}` as const;
const path = { id: ticket.id };
const changed = await helpdesk.PATCH(one, {
  params: { path, header: { "If-Match": etag } },
  headers: mergePatch,
  body: { priority: 4, tags: null },
});
status(200, changed);
same([given(changed).priority, given(changed).tags], [4, undefined]);

const late = await helpdesk.PATCH(one, {
  params: { path, header: { "If-Match": etag } },
  headers: mergePatch,
  body: { priority: 1 },
});
status(412, late);
// The error's type is one of the operation's codes.
if (late.error === undefined) throw new Error("no error");
const { code } = late.error.error;
same<typeof code>(code, "version_mismatch");

status(204, await helpdesk.DELETE(one, { params: { path } }));
status(404, await helpdesk.GET(one, { params: { path } }));

const inventory = createClient<Inventory>(options);
const items = "/v1/inventory/stock/items";
const item = given(
  await inventory.POST(items, { body: { sku: "FETCH-1", name: "Bolt", unit: "piece", price: 0.2 } }),
);
const cheap = given(await inventory.GET(items, { params: { query: { where: '{"price":{"$lt":1}}' } } }));
same(
  cheap.items.map(({ sku }) => sku),
  ["FETCH-1"],
);
const again = await inventory.POST(items, { body: { sku: "FETCH-1", name: "Bolt", unit: "piece" } });
status(409, again);
same(again.error?.error.details?.[0]?.path, "sku");
const wrong = await inventory.POST(items, { body: { sku: "x", name: "", unit: "piece" } });
status(400, wrong);
same(wrong.error?.error.code, "validation_error");
status(
  204,
  await inventory.DELETE(`${items}/{id}`, {
    params: { path: { id: item.id }, header: { "If-Match": '"1"' } },
  }),
);
console.log("done");
