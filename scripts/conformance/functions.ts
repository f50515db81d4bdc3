/** Requests to functions: what their handlers, signatures and jobs need. */
import { createHmac } from "node:crypto";
import type { JsonObject } from "../../runtime/json.ts";
import type { FunctionDefinition } from "../../runtime/realm/functions.ts";
import type { Operation } from "./description.ts";
import { company } from "./organizations.ts";
import type { Plan, PlannedBody } from "./requests.ts";

/** What the provider of mails signs with, and where that is kept. */
export const mailKey = { name: "INBOUND_MAIL_KEY", value: "known to the provider" } as const;

/** What a provider posts to the webhook of mails, sometimes again; undefined for others, and where what is planned may do. */
export function signed({ id }: Operation, { pick }: Plan): (PlannedBody & { signature: string }) | undefined {
  if (id !== "webhookSupportInbound" || pick % 4 === 3) return undefined;
  const mail = {
    id: `mail-${pick % 16}`,
    to: `${pick % 8 === 1 ? "nowhere" : company.org}@in.helpdesk.example.com`,
    from: "somebody@example.com",
    subject: "Help",
    text: "It does not work.",
  };
  // What is signed, and yet no mail, is more than the handler can take.
  const text = JSON.stringify(pick % 8 === 2 ? null : mail);
  const signature = createHmac("sha256", mailKey.value).update(text).digest("hex");
  return { media: "application/json", text, signature };
}

/** The path to a function, mostly to one that there is. */
export function functionPath(
  path: string,
  { pick }: Plan,
  functions: readonly FunctionDefinition[],
): string | undefined {
  if (!path.includes("/{database}/{fn}")) return undefined;
  const { database, name } = functions[pick % (functions.length + 1)] ?? { database: "none", name: "none" };
  return path.replace("{database}", database).replace("{fn}", name);
}

/** A body with what it can only be given now; undefined for others. @param ticket the id of one */
export function functionBody(
  { id }: Operation,
  { pick }: Plan,
  value: JsonObject,
  ticket: string | undefined,
): JsonObject | undefined {
  if (pick % 4 === 3) return undefined;
  switch (id) {
    case "callSupportClose":
      return typeof value["ticket"] === "string" ? { ...value, ticket: ticket ?? "none" } : undefined;
    case "adminRunFunction":
      return pick % 2 === 0
        ? { kind: "schedule" }
        : { kind: "trigger", collection: "tickets", event: "create", document: ticket ?? "none" };
    default:
      return undefined;
  }
}
