import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { password } from "../people.ts";
import type { Operation } from "./description.ts";
import { functionBody } from "./functions.ts";
import { company, organizationBody, type Tenant } from "./organizations.ts";
import { type Plan, twistOf } from "./requests.ts";
import { parsed } from "./wire.ts";
import type { World } from "./world.ts";

/** The body with what it can only be given now: ids that exist, values that are taken, credentials that are right. */
export async function informed(
  world: World,
  operation: Operation,
  plan: Plan,
  text: string,
  tenant: Tenant | undefined,
): Promise<string> {
  const value = parsed(text);
  if (!isJsonObject(value)) return text;
  const tickets = world.known.get(`/v1/${world.name}/support/tickets`) ?? [];
  const told =
    functionBody(operation, plan, value, existing(plan.pick, tickets, false)) ??
    organizationBody(operation.id, plan.pick, value, tenant) ??
    (await personal(world, operation, plan, value)) ??
    documents(world, operation, plan, value);
  return told === undefined ? text : JSON.stringify(told);
}

/** Bodies of accounts and administration; undefined for others. */
async function personal(
  world: World,
  { id, path }: Operation,
  { pick, caller }: Plan,
  value: JsonObject,
): Promise<JsonObject | undefined> {
  const usually = pick % 4 !== 3;
  switch (id) {
    case "logIn":
      if (typeof value["email"] !== "string") return undefined;
      if (pick % 8 === 1) return { email: "guarded@example.com", password };
      return pick % 2 === 0 ? { ...value, email: "known@example.com", password } : undefined;
    case "signUp": {
      const taken = twistOf(pick) === undefined ? {} : { email: "known@example.com" };
      const invited = usually && typeof value["invitation"] === "string";
      return { ...spoken(value), ...taken, ...(invited && { invitation: await world.invitation() }) };
    }
    case "reauthenticate":
      return usually ? { ...value, password, ...coded(world, caller, value) } : undefined;
    case "changePassword":
      return usually && value["current"] !== undefined && value["new"] !== undefined
        ? { ...value, current: password, new: password }
        : undefined;
    case "resetPassword":
      return usually && value["token"] !== undefined && value["password"] !== undefined
        ? { ...value, token: await world.mailed("reset", "known"), password }
        : undefined;
    case "verifyEmail": {
      const purpose = pick % 2 === 0 ? "verify" : "email";
      return usually && value["token"] !== undefined
        ? { ...value, token: await world.mailed(purpose, "known") }
        : undefined;
    }
    case "confirmTotp":
      return usually && value["code"] !== undefined
        ? { ...value, ...coded(world, caller, { code: "" }) }
        : undefined;
    case "adminCreateKey": {
      const networks = usually && Array.isArray(value["networks"]) && { networks: ["127.0.0.0/8"] };
      const expires_at = usually && typeof value["expires_at"] === "string" && { expires_at: null };
      return { ...value, ...networks, ...expires_at };
    }
    // Without it, no rule lets anybody open a ticket.
    case "adminPutAppConfig":
      return { ...value, accepting_tickets: true };
    case "adminCreateInvitation":
      return usually && typeof value["expires_in"] === "string" ? { ...value, expires_in: "7d" } : undefined;
    default:
      return /\/_(?:auth|admin\/users)\b/.test(path) ? spoken(value) : undefined;
  }
}

/** With a language that there is. */
function spoken(value: JsonObject): JsonObject {
  return typeof value["locale"] === "string" ? { ...value, locale: "de-CH" } : value;
}

/** The code of the caller's second factor, where one is sent, or needed as far as is known. */
function coded(world: World, caller: Plan["caller"], value: JsonObject): JsonObject {
  const code = world.code(caller);
  return code === undefined || value["code"] === null ? {} : { code };
}

/** Bodies of documents; undefined for others. */
function documents(
  world: World,
  { path, id: operationId, method }: Operation,
  { pick }: Plan,
  value: JsonObject,
): JsonObject | undefined {
  const collection = world.collection(path);
  if (path.endsWith("/_batch") && Array.isArray(value["operations"])) {
    const operations = value["operations"].map((operation) => known(world, collection, pick, operation));
    // One alone fails less often than several together.
    return { ...value, operations: pick % 3 === 0 ? operations.slice(0, 1) : operations };
  }
  if (/\/_(?:transfer|assign_org)$/.test(path))
    return { ...value, ...(pick % 4 !== 3 && { org: company.org }) };
  if (method !== "POST" || !/^(?:create|adminDataCreate)/.test(operationId)) return undefined;
  // Nobody may write it but a function.
  const { mail_id, ...writable } = value;
  const usual = mail_id === undefined || pick % 4 === 3 ? value : writable;
  const [ids, values] = [world.known.get(collection) ?? [], world.created.get(collection)];
  const { id, ...others } = usual;
  switch (twistOf(pick)) {
    case "existing id":
      return { ...others, id: ids[pick % Math.max(ids.length, 1)] ?? "mine" };
    case "no id":
      return others;
    case "existing values":
      return { ...usual, ...values, ...(id !== undefined && { id }) };
    default:
      return world.linked(collection, usual, pick);
  }
}

/** An operation of a batch with an id that exists. */
function known(world: World, batch: string, pick: number, operation: JsonValue): JsonValue {
  if (!isJsonObject(operation) || typeof operation["id"] !== "string") return operation;
  const ids = world.known.get(batch.replace("_batch", String(operation["collection"]))) ?? [];
  const id = existing(pick, ids, false) ?? operation["id"];
  const condition = "if_match" in operation && pick % 2 === 0 ? { if_match: "*" } : {};
  return { ...operation, ...condition, ...(operation["op"] !== "create" && { id }) };
}

/** Of the first or the last few. */
export function existing(pick: number, ids: readonly string[], first: boolean): string | undefined {
  const at = pick % Math.max(Math.min(ids.length, 4), 1);
  return ids.at(first ? at : -1 - at);
}
