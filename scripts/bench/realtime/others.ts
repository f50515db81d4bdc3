import { cpuOf } from "../cpu.ts";
import { middle } from "../middle.ts";
import { type Measure, measure, type Row } from "../workload.ts";
import { resumes } from "./resumes.ts";
import { type Setting, streamsOf } from "./setting.ts";

/** What streams cost others, and what changes cost that hardly anybody awaits. */
export async function measureOthers(setting: Setting): Promise<void> {
  await manySubscriptions(setting);
  await nobodysChange(setting);
  await resumes(setting);
  await writers(setting);
  await readers(setting);
  await collections(setting);
}

/** 1,000 changes a second, each for one of 2,000 subscriptions that 500 callers have on as many streams. */
async function manySubscriptions({ server, client, writer, tokens, scale, report }: Setting): Promise<void> {
  const perStream = 4;
  const streams = tokens.map((token, at) => ({
    token,
    body: JSON.stringify({
      subscriptions: Array.from({ length: perStream }, (_, n) => ({
        id: `s${n}`,
        db: "live",
        collection: "items",
        where: { channel: `c${at * perStream + n}` },
      })),
    }),
  }));
  await client.open(server.url, streams);
  const [perSecond, seconds] = [1_000, Math.max(2, Math.round(10 * scale))];
  const count = perSecond * seconds;
  const channelOf = (at: number) => `c${at % (tokens.length * perStream)}`;
  await writer.atRate(perSecond, 1, channelOf);
  await client.expect(perSecond);
  const coming = client.expect(count);
  const began = performance.now();
  const cpu = await cpuOf(server, async () => {
    await writer.atRate(perSecond, seconds, channelOf);
    await coming;
  });
  const { p50, p99 } = await coming;
  const rate = count / ((performance.now() - began) / 1000);
  await client.cut();
  const without = await cpuOf(server, () => writer.atRate(perSecond, seconds, () => "nobody"));
  const name = `${Math.round(rate)} changes/s, ${tokens.length * perStream} subscriptions`;
  report.add(`${name}: delivery p50 / p99, ms`, `${p50.toFixed(1)} / ${p99.toFixed(1)}`, "p99 under 250");
  report.add(`${name}: CPU of a change, against the same without streams`, cpu / without, "");
}

/** A change that none of many subscriptions by equality awaits, against few. */
async function nobodysChange({ server, client, writer, tokens, streams, rounds, scale, report }: Setting) {
  const changes = Math.round(500 * scale) + 50;
  const costs = new Map<number, number[]>();
  for (let round = -1; round < rounds; round++) {
    for (const count of round % 2 === 0 ? [10, streams] : [streams, 10]) {
      await client.open(
        server.url,
        streamsOf(tokens, count, (at) => ({ channel: `c${at}` })),
      );
      const cpu = await cpuOf(server, () => writer.oneByOne(changes, "nobody"));
      await client.cut();
      if (round >= 0) costs.set(count, [...(costs.get(count) ?? []), cpu / changes]);
    }
  }
  const many = costs.get(streams) ?? [];
  const few = costs.get(10) ?? [];
  const ratio = middle(many.map((cost, round) => cost / (few[round] ?? cost)));
  report.add(
    `a change that nobody awaits: CPU with ${streams} subscriptions, against 10`,
    ratio,
    "at most 2",
  );
}

/** Writers beside streams that are told nothing of it, against none. */
async function writers(setting: Setting): Promise<void> {
  const { server, client, tokens, streams, rounds, scale, report } = setting;
  const idle = streamsOf(tokens, streams, (at) => ({ channel: `c${at}` }));
  const row = creates("items");
  const ratios: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const without = await measured(setting, row, scale);
    await client.open(server.url, idle);
    const beside = await measured(setting, row, scale);
    await client.cut();
    if (round >= 0) ratios.push(beside.perSecond / without.perSecond);
  }
  report.add(`creates beside ${streams} idle streams: throughput`, middle(ratios), "0.8 or more");
}

/** Get by id while every stream is told of changes, against while nothing happens. */
async function readers(setting: Setting): Promise<void> {
  const { server, client, writer, tokens, streams, rounds, scale, report } = setting;
  await client.open(
    server.url,
    streamsOf(tokens, streams, () => ({ channel: "all" })),
  );
  const id = await writer.create("nobody");
  const row: Row = {
    name: "get by id",
    amount: 20_000,
    status: 200,
    consumes: false,
    request: () => ({ method: "GET", path: `/v1/${server.realm}/live/items/${id}` }),
  };
  const ratios: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const alone = await measured(setting, row, scale);
    let over = false;
    // As many as streams take: the next when the one before has reached all.
    const broadcasting = (async () => {
      while (!over) {
        const coming = client.expect(streams);
        await writer.create("all");
        await coming;
      }
    })();
    const beside = await measured(setting, row, scale);
    over = true;
    await broadcasting;
    if (round >= 0) ratios.push(beside.p99 / alone.p99);
  }
  await client.cut();
  report.add(`get by id beside broadcasts to ${streams}: p99`, middle(ratios), "at most 3");
}

/** What `realtime: true` costs where nobody follows. */
async function collections(setting: Setting): Promise<void> {
  const { rounds, scale, report } = setting;
  const [throughput, cpu]: [number[], number[]] = [[], []];
  for (let round = -1; round < rounds; round++) {
    const followed = await measured(setting, creates("items"), scale);
    const plain = await measured(setting, creates("plain"), scale);
    if (round < 0) continue;
    throughput.push(followed.perSecond / plain.perSecond);
    cpu.push(plain.cpu / followed.cpu);
  }
  report.add("creates with `realtime`, against without: throughput", middle(throughput), "0.8 or more");
  report.add("creates without `realtime` / with: CPU", middle(cpu), "");
}

function creates(collection: string): Row {
  const document = JSON.stringify({
    channel: "nobody",
    public: true,
    title: "a title",
    body: "text ".repeat(60),
  });
  return {
    name: `create in ${collection}`,
    amount: 10_000,
    status: 201,
    consumes: false,
    request: ({ path }) => ({
      method: "POST",
      path: path.replace(/shop\/items$/, `live/${collection}`),
      headers: { "content-type": "application/json" },
      body: document,
    }),
  };
}

function measured({ server, tokens }: Setting, row: Row, scale: number): Promise<Measure> {
  const headers = { authorization: `Bearer ${tokens[0] ?? ""}` };
  return measure({ ...server, headers }, row, [], Math.max(200, Math.round(row.amount * scale)));
}
