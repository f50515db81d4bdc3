/** Live queries against a server that does everything at any moment: whenever things rest, each shows what a list answers. */
import { expect, it } from "vitest";
import { runs } from "../testing/random.ts";
import type { LiveQuery } from "./following.ts";
import type { LiveChange } from "./held.ts";
import type { Live } from "./live.ts";
import { settled } from "./testing/realtime/fake-clock.ts";
import type { OrderShape } from "./testing/realtime/following.ts";
import { type Followed, followed } from "./testing/realtime/following.ts";
import type { Order } from "./testing/realtime/scripted-server.ts";

type Query = LiveQuery<OrderShape> | string;

const queries: readonly Query[] = [
  {},
  { where: { status: "open" }, order_by: ["-rank", "name"], limit: 3 },
  { order_by: ["name"], limit: 5 },
  { where: { status: "done" }, order_by: ["-id"] },
  { where: { status: "open" }, order_by: ["rank"], limit: 1 },
  "d3",
];

/** A listener that believes nothing. */
class Witness {
  readonly live: Live<Order>;
  /** What was wrong with what it was told: listeners' errors are their own. */
  readonly complaints: unknown[] = [];
  #before: readonly Order[] = [];

  constructor({ orders }: Followed, query: Query) {
    this.live = orders.live(query, (documents, change) => {
      try {
        this.#see(documents, change);
      } catch (error) {
        this.complaints.push(error);
      }
    });
  }

  #see(documents: readonly Order[], { added, updated, removed }: LiveChange<Order>): void {
    const before = new Map(this.#before.map((document) => [document.id, document]));
    const after = new Map(before);
    for (const { id } of removed) expect(after.delete(id)).toBe(true);
    for (const document of updated) {
      const known = after.get(document.id);
      expect(known).not.toBe(document);
      if (known?._meta.created_at === document._meta.created_at)
        expect(document._meta.version, "never back").toBeGreaterThanOrEqual(known._meta.version);
      after.set(document.id, document);
    }
    for (const document of added) {
      expect(after.has(document.id)).toBe(false);
      after.set(document.id, document);
    }
    expect(documents.length, "unique").toBe(new Set(documents.map(({ id }) => id)).size);
    expect(new Set(documents), "what changed, and the rest the same objects").toEqual(
      new Set(after.values()),
    );
    expect(Object.isFrozen(documents)).toBe(true);
    for (const document of documents)
      if (!added.includes(document) && !updated.includes(document))
        expect(before.get(document.id)).toBe(document);
    this.#before = documents;
  }
}

type Step = (world: Followed & { readonly pick: (below: number) => number }) => unknown;

const statuses = ["open", "done"] as const;

/** Each as often as it stands here. */
const steps: readonly Step[] = [
  ...Array<Step>(6).fill(({ server, pick }) =>
    server.write(`d${pick(server.documents.size + 4)}`, {
      status: statuses[pick(2)] ?? "open",
      rank: pick(4) === 0 ? null : pick(5),
      name: [..."a😀Zä\uffff"].slice(pick(3), 2 + pick(4)).join(""),
    }),
  ),
  ...Array<Step>(2).fill(({ server, pick }) =>
    server.retell(`d${pick(server.documents.size + 4)}`, pick(1_000)),
  ),
  ...Array<Step>(2).fill(({ server, pick }) => server.remove(`d${pick(server.documents.size + 4)}`)),
  ...Array<Step>(6).fill(({ server, pick }) =>
    server.streams[pick(server.streams.length || 1)]?.deliver(1 + pick(pick(3) === 0 ? 2_000 : 90)),
  ),
  ...Array<Step>(3).fill(({ server, pick }) => server.release(pick(server.waiting || 1))),
  ...Array<Step>(3).fill(({ clock, pick }) => clock.step(1 + pick(3_000))),
  ({ server, pick }) => {
    if (pick(3) > 0) return;
    for (const { id } of server.list("open", ["-rank", "name"]).slice(0, 30)) server.remove(id);
  },
  ({ server }) => server.cut(),
  ({ server, pick }) => server.streams[pick(server.streams.length || 1)]?.end(),
  ({ server }) => server.reset("slow_consumer"),
  ({ server, pick }) => {
    const hidden = pick(3);
    server.changeAccess(({ id }) => Number(id.slice(1)) % 5 !== hidden);
  },
  ({ server }) => server.changeAccess(() => true),
  ({ server, pick }) => pick(3) === 0 && server.reset("config_changed"),
  ({ server, pick }) => pick(3) === 0 && server.forgetHistory(),
  ({ server, pick }) => pick(3) === 0 && server.rotateKey(),
  ({ clock, pick }) => pick(3) === 0 && clock.sleep(3_600_000),
  ({ server, pick }) => {
    const refused = pick(3);
    server.refuse = (kind) => {
      if (refused === 0 && kind === "stream")
        return { status: 429, code: "too_many_requests", retryAfter: 1 };
      return refused === 1 ? { status: 503, code: "unavailable" } : undefined;
    };
  },
  ({ server }) => {
    server.refuse = undefined;
  },
];

/** Everything arrives, and nothing is in the way any more. */
async function rest({ server, clock }: Followed, all: readonly Witness[]): Promise<void> {
  server.refuse = undefined;
  for (let round = 0; round < 400; round++) {
    for (const stream of server.streams) stream.deliver(Number.POSITIVE_INFINITY);
    await settled();
    while (server.waiting > 0) {
      server.release();
      await settled();
    }
    const isQuiet = server.streams.length > 0 && server.streams.every(({ waiting }) => waiting === 0);
    if (isQuiet && server.waiting === 0 && all.every(({ live }) => live.state === "live")) return;
    clock.step(5_000);
    await settled();
  }
  expect(
    all.map(({ live }) => live.state),
    "it comes to rest",
  ).toEqual(all.map(() => "live"));
}

function expected({ server }: Followed, query: Query): readonly Order[] {
  if (typeof query === "string") return server.list(undefined, []).filter(({ id }) => id === query);
  const { where, order_by = [], limit } = query;
  const status = where?.status === "open" || where?.status === "done" ? where.status : undefined;
  return server.list(status, order_by).slice(0, limit);
}

/** One run: so many steps, and a rest after each hundred. */
async function run(seed: number, length: number): Promise<void> {
  let state = seed;
  const pick = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const world = { ...followed({ retryDelay: (attempt) => 100 * 2 ** attempt }), pick };
  const { server, clock } = world;
  server.isHeld = true;
  server.isSlow = true;
  // More than fit in a page, every other time.
  for (let at = 0; at < (seed % 2) * 60; at++) server.write(`d${at}`, { rank: at % 7 });
  const all: [Query, Witness][] = [];
  for (let at = 0; at < length; at++) {
    const query = queries[at / 10];
    if (query !== undefined) all.push([query, new Witness(world, query)]);
    steps[pick(steps.length)]?.(world);
    await settled();
    if (at % 100 !== 99) continue;
    const witnesses = all.map(([, witness]) => witness);
    await rest(world, witnesses);
    for (const [query, { live, complaints }] of all) {
      expect(complaints).toEqual([]);
      expect(live.documents, JSON.stringify(query)).toEqual(expected(world, query));
    }
  }
  for (const [, { live }] of all) live.close();
  await settled();
  expect([server.streams, clock.pending, server.waiting]).toEqual([[], 0, 0]);
}

const first = Number(process.env["LIVE_SEED"] ?? 1);
const seeds = Array.from({ length: runs(100) }, (_, at) => first + at);

it.each(seeds)(
  "whatever happens, in whatever order, each shows what a list answers in the end: LIVE_SEED=%i",
  (seed) => run(seed, 300),
  60_000,
);
