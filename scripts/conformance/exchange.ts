import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import type { Operation } from "./description.ts";
import type { Pairs } from "./queries.ts";
import { type Plan, type PlannedBody, twistOf } from "./requests.ts";
import { parsed } from "./wire.ts";
import { type Identity, password, type World } from "./world.ts";

/** A plan as it was sent. */
export interface Sent {
  readonly plan: Plan;
  readonly path: string;
  readonly query: Pairs;
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
  const query = plan.next ? nextPage(world, operation, plan.pick) : plan.query;
  const path = pathOf(world, operation, plan, query, identity);
  const sent = { plan, path, query, headers, body };
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
  { pick }: Plan,
  query: Pairs,
  { otherSession }: Identity,
): string {
  const [collection = ""] = path.split("/{id}");
  const ids = path.includes("/_auth/sessions/") ? [otherSession] : (world.known.get(collection) ?? []);
  const search = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  const filled = path.replace("{id}", idFor(pick, ids, path.endsWith("/restore")));
  return search === "" ? filled : `${filled}?${search}`;
}

/** A query that has been answered with a cursor, with that; the first page where there is none yet. */
function nextPage(world: World, { path }: Operation, pick: number): Pairs {
  const pages = world.pages.get(path) ?? [];
  return pages[pick % Math.max(pages.length, 1)] ?? [];
}

/** Mostly one that exists, of the first or the last few. */
function idFor(pick: number, ids: readonly string[], first: boolean): string {
  const strangers = ["00000000000000000000", "x".repeat(128), "x".repeat(129), "%00", "a%2Fb", "-"];
  const id = twistOf(pick) === "no id" ? undefined : existing(pick, ids, first);
  return id ?? strangers[pick % strangers.length] ?? "";
}

function existing(pick: number, ids: readonly string[], first: boolean): string | undefined {
  const at = pick % Math.max(Math.min(ids.length, 4), 1);
  return ids.at(first ? at : -1 - at);
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
      const id = existing(pick, ids, false) ?? operation["id"];
      const condition = "if_match" in operation && pick % 2 === 0 ? { if_match: "*" } : {};
      return { ...operation, ...condition, ...(operation["op"] !== "create" && { id }) };
    });
    // One alone fails less often than several together.
    return JSON.stringify({ ...value, operations: pick % 3 === 0 ? operations.slice(0, 1) : operations });
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
      return JSON.stringify(world.linked(path, value, pick));
  }
}

function learn(world: World, { path, method }: Operation, sent: Sent, received: Received): void {
  const { status, headers } = received;
  if (method === "GET" && status === 200) learnPage(world, path, sent, received);
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

/** The next page, as it is to be asked for. */
function learnPage({ pages }: World, path: string, { query }: Sent, { text }: Received): void {
  const answer = parsed(text);
  if (!isJsonObject(answer) || typeof answer["next_cursor"] !== "string") return;
  const again = query.filter(([name]) => name !== "after" && name !== "skip");
  pages.set(path, [...(pages.get(path) ?? []), [...again, ["after", answer["next_cursor"]]]]);
}

/** A document's address in its collection's and its id. */
function split(path: string): readonly string[] {
  const [address = ""] = path.split("?");
  const at = address.lastIndexOf("/");
  return [address.slice(0, at), address.slice(at + 1)];
}
