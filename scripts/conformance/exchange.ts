import { isJsonObject } from "../../runtime/json.ts";
import type { Operation } from "./description.ts";
import { textOf } from "./events.ts";
import { functionPath, mailKey, signed } from "./functions.ts";
import { existing, informed } from "./informed.ts";
import { company, type Tenant } from "./organizations.ts";
import type { Pairs } from "./queries.ts";
import { type Plan, type PlannedBody, twistOf } from "./requests.ts";
import { parsed } from "./wire.ts";
import type { Identity, World } from "./world.ts";

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
  const proving = operation.headers.includes("x-svc-reauth") && plan.pick % 4 !== 3;
  const identity = await world.identity(plan.caller, proving);
  const tenant = await world.tenants?.of(operation, plan);
  const headers = new Headers({ ...identity.headers, ...plan.headers });
  const mail = signed(operation, plan);
  const body =
    mail ??
    (plan.body && {
      ...plan.body,
      text: await informed(world, operation, plan, plan.body.text, tenant),
    });
  if (body !== undefined) headers.set("content-type", body.media);
  if (mail !== undefined) {
    headers.set("x-mail-signature", mail.signature);
    // Other requests take it away.
    if (plan.pick % 2 === 0) await putSecret(world, mailKey);
  }
  if (plan.pick % 4 === 0) await makeJob(world, operation);
  const query = plan.next ? nextPage(world, operation, plan.pick) : await placed(world, operation, plan);
  const path = pathOf(world, operation, plan, query, identity, tenant);
  const sent = { plan, path, query, headers, body };
  const received = await ask(world, operation.method, path, headers, body?.text);
  learn(world, operation, sent, received);
  if (received.status < 300 && queuesJob(operation)) await world.tenants?.settle();
  await tenant?.discard();
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
  return { status: response.status, headers: response.headers, text: await textOf(response) };
}

/** The query, where documents are made mostly with an organization that there is, and sometimes a team. */
async function placed(world: World, { method, query: described }: Operation, plan: Plan): Promise<Pairs> {
  const takes = (name: string) => method !== "GET" && described.some((each) => each.name === name);
  if (world.tenants === undefined || !takes("org") || plan.pick % 5 === 4) return plan.query;
  await world.tenants.ensureCompany();
  const others = plan.query.filter(([name]) => name !== "org" && name !== "team");
  const team: Pairs = takes("team") && plan.pick % 5 === 3 ? [["team", company.team]] : [];
  return [...others, ["org", company.org], ...team];
}

/** What goes on when it has answered. */
function queuesJob({ method, path }: Operation): boolean {
  return (method === "DELETE" && path.endsWith("/{org}")) || path.endsWith("/_assign_org");
}

async function putSecret(world: World, { name, value }: typeof mailKey): Promise<void> {
  const { headers } = await world.identity("key", false);
  const path = `/v1/${world.name}/_admin/secrets/${name}`;
  const sent = new Headers({ ...headers, "content-type": "application/json" });
  await ask(world, "PUT", path, sent, JSON.stringify({ value }));
}

/** Some things can be done with some jobs alone. */
async function makeJob(world: World, { method, path }: Operation): Promise<void> {
  if (method === "DELETE" && path.endsWith("/_jobs/{id}")) await world.queueCall(path);
  if (path.endsWith("/_admin/jobs/{id}/retry")) await world.failJob();
}

function pathOf(
  world: World,
  { path }: Operation,
  plan: Plan,
  query: Pairs,
  { otherSession }: Identity,
  tenant: Tenant | undefined,
): string {
  const { pick } = plan;
  const [collection = ""] = world.collection(path).split("/{");
  const ids = path.includes("/_auth/sessions/") ? [otherSession] : (world.known.get(collection) ?? []);
  const search = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  const filled =
    functionPath(path, plan, world.functions) ??
    (tenant === undefined
      ? path.replace(/\{\w+\}/, idFor(pick, ids, path.endsWith("/restore")))
      : path.replace(/\{(\w+)\}/g, (written, name: string) => tenant.names[name] ?? written));
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

function learn(
  world: World,
  { id: operationId, path, method }: Operation,
  sent: Sent,
  received: Received,
): void {
  const { status, headers, text } = received;
  if (method === "GET" && status === 200) learnPage(world, path, sent, received);
  if (method === "DELETE" && status === 204) {
    const [collection = "", gone = ""] = split(world.collection(sent.path));
    const others = (world.known.get(collection) ?? []).filter((id) => id !== gone);
    // First in the list are those to restore.
    world.known.set(collection, [gone, ...others]);
  }
  if (method !== "POST" || (status !== 201 && status !== 202)) return;
  const answer = parsed(text);
  if (!isJsonObject(answer)) return;
  if (status === 202) {
    const jobs = `${path.split("/", 3).join("/")}/_admin/jobs`;
    const { job } = answer;
    if (typeof job !== "string") return;
    world.know(jobs, job);
    const location = headers.get("location");
    if (location !== null) world.know(split(location)[0] ?? "", job);
    return;
  }
  if (operationId === "enrolTotp") world.secrets.set(sent.plan.caller, String(answer["secret"]));
  const id = headers.get("location")?.split("/").at(-1) ?? answer["id"];
  if (typeof id !== "string") return;
  const collection = world.collection(path);
  world.know(collection, id);
  const value = parsed(sent.body?.text ?? "");
  if (isJsonObject(value)) world.created.set(collection, value);
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
