import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import type { Operation } from "./description.ts";
import { type Plan, type PlannedBody, twistOf } from "./requests.ts";
import { type Identity, password, type World } from "./world.ts";

/** A plan as it was sent. */
export interface Sent {
  readonly plan: Plan;
  readonly path: string;
  readonly headers: Headers;
  readonly body: PlannedBody | undefined;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends what a plan asks for, about something that the world knows where it can be. */
export async function send(
  world: World,
  operation: Operation,
  plan: Plan,
): Promise<{ readonly sent: Sent; readonly received: Received }> {
  const identity = await world.identity(plan.caller);
  const headers = new Headers(plan.headers);
  if (identity.token !== undefined) headers.set("authorization", `Bearer ${identity.token}`);
  const body = plan.body && { ...plan.body, text: informed(world, operation, plan.pick, plan.body.text) };
  if (body !== undefined) headers.set("content-type", body.media);
  const path = pathOf(world, operation, plan, identity);
  const sent = { plan, path, headers, body };
  const received = await ask(world, operation.method, path, headers, body?.text);
  learn(world, operation, sent, received);
  return { sent, received };
}

export async function ask(
  world: World,
  method: string,
  path: string,
  headers: Headers,
  body?: string,
): Promise<Received> {
  const response = await fetch(world.url + path, { method, headers, body: body ?? null });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function pathOf(
  world: World,
  { path }: Operation,
  { pick, query }: Plan,
  { otherSession }: Identity,
): string {
  const [collection = ""] = path.split("/{id}");
  const ids = path.includes("/_auth/sessions/") ? [otherSession] : (world.known.get(collection) ?? []);
  const search = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  const filled = path.replace("{id}", idFor(pick, ids, path.endsWith("/restore")));
  return search === "" ? filled : `${filled}?${search}`;
}

/** Mostly one that exists, of the first or the last few. */
function idFor(pick: number, ids: readonly string[], first: boolean): string {
  const strangers = ["00000000000000000000", "x".repeat(128), "x".repeat(129), "%00", "a%2Fb", "-"];
  const at = pick % Math.max(Math.min(ids.length, 4), 1);
  const existing = ids.at(first ? at : -1 - at);
  return (twistOf(pick) === "no id" ? undefined : existing) ?? strangers[pick % strangers.length] ?? "";
}

/** The body with what it can only be given now: ids that exist, values that are taken, credentials that are right. */
function informed(world: World, { path, id: operationId }: Operation, pick: number, text: string): string {
  const value = parsed(text);
  if (!isJsonObject(value)) return text;
  if (operationId === "logIn" && pick % 2 === 0 && typeof value["email"] === "string") {
    return JSON.stringify({ ...value, email: "known@example.com", password });
  }
  if (operationId === "signUp" && typeof value["email"] === "string") {
    const locale = typeof value["locale"] === "string" ? { locale: "de-CH" } : {};
    const taken = twistOf(pick) === undefined ? {} : { email: "known@example.com" };
    return JSON.stringify({ ...value, ...locale, ...taken });
  }
  if (path.endsWith("/_batch") && Array.isArray(value["operations"])) {
    const operations = value["operations"].map((operation: JsonValue) => {
      if (!isJsonObject(operation) || typeof operation["id"] !== "string") return operation;
      const ids = world.known.get(path.replace("_batch", String(operation["collection"]))) ?? [];
      const id = ids[pick % Math.max(ids.length, 1)] ?? operation["id"];
      const condition = "if_match" in operation && pick % 2 === 0 ? { if_match: "*" } : {};
      return { ...operation, ...condition, ...(operation["op"] !== "create" && { id }) };
    });
    return JSON.stringify({ ...value, operations });
  }
  if (!operationId.startsWith("create")) return text;
  const [ids, values] = [world.known.get(path) ?? [], world.created.get(path)];
  const { id, ...others } = value;
  switch (twistOf(pick)) {
    case "existing id":
      return JSON.stringify({ ...others, id: ids[pick % Math.max(ids.length, 1)] ?? "mine" });
    case "no id":
      return JSON.stringify(others);
    case "existing values":
      return JSON.stringify({ ...value, ...values, ...(id !== undefined && { id }) });
    default:
      return text;
  }
}

function learn(world: World, { path, method }: Operation, sent: Sent, { status, headers }: Received): void {
  if (method === "DELETE" && status === 204) {
    const [collection = "", gone = ""] = split(sent.path);
    const others = (world.known.get(collection) ?? []).filter((id) => id !== gone);
    // First in the list are those to restore.
    world.known.set(collection, [gone, ...others]);
  }
  const id = headers.get("location")?.split("/").at(-1);
  if (status !== 201 || id === undefined) return;
  world.known.set(path, [...(world.known.get(path) ?? []), id]);
  const value = parsed(sent.body?.text ?? "");
  if (isJsonObject(value)) world.created.set(path, value);
}

/** A document's address in its collection's and its id. */
function split(path: string): readonly string[] {
  const [address = ""] = path.split("?");
  const at = address.lastIndexOf("/");
  return [address.slice(0, at), address.slice(at + 1)];
}

export function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
