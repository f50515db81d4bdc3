/** Versions of images that are made for the first who asks, by HTTP, against sharp alone that makes the same of files. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { cpuOf } from "../cpu.ts";
import { middle } from "../middle.ts";
import { type MeasuredServer, startGenerated } from "../servers.ts";
import type { Setting } from "../setting.ts";
import { seed } from "../workload.ts";
import { type LoadMeasure, sent } from "./load.ts";

/** Megapixels as cameras of phones have them. */
const WIDTH = 4_000;
const HEIGHT = 3_000;
/** As `photo` of the configuration has it. */
const thumb = { width: 320, height: 240, fit: "cover" } as const;
/** Requests, or images that sharp alone is given, at a time: it makes as many as Node has threads. */
const AT_ONCE = 8;
/** Requests for the same version at a time. */
const EQUAL = 32;

interface Picture {
  /** Of the uploaded file. */
  readonly path: string;
  /** Of what is stored of it. */
  readonly file: string;
}

export async function versions({ place, bundle, rounds, scale, report }: Setting): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "realmc-bench-versions-"));
  const environment = { SVC_STORE: `sqlite:${folder}` };
  const server = await startGenerated(bundle, place, "files", { environment });
  const bare = fork(fileURLToPath(new URL("sharp.mjs", import.meta.url)));
  const agent = new Agent({ keepAlive: true, maxSockets: EQUAL });
  try {
    await once(bare, "message");
    const pictures = await uploaded(server, agent, folder, Math.max(AT_ONCE, Math.round(40 * scale)));
    const stored = join(folder, "files", server.realm);
    const measures = { ours: [] as LoadMeasure[], bare: [] as LoadMeasure[] };
    for (let round = -1; round < rounds; round++) {
      for (const whose of round % 2 === 0 ? (["ours", "bare"] as const) : (["bare", "ours"] as const)) {
        forget(stored);
        const measure = await (whose === "ours"
          ? onDemand(server, agent, pictures)
          : alone(bare, folder, pictures));
        if (round >= 0) measures[whose].push(measure);
      }
    }
    const speed = (all: readonly LoadMeasure[]) => middle(all.map(({ time }) => 1e6 / time)).toFixed(1);
    const ratio = (what: keyof LoadMeasure) =>
      middle(measures.ours.map((one, round) => (measures.bare[round] ?? one)[what] / one[what]));
    report.add(
      "versions of 12 megapixels on demand: images a second, ours / bare sharp",
      `${speed(measures.ours)} / ${speed(measures.bare)}`,
      "",
    );
    report.add("versions on demand: throughput, ours / bare sharp", ratio("time"), "at least 0.9");
    const cpu = (all: readonly LoadMeasure[]) => middle(all.map((one) => one.cpu / 1_000)).toFixed(1);
    report.add(
      "versions on demand: CPU ms of an image, ours / bare sharp",
      `${cpu(measures.ours)} / ${cpu(measures.bare)}`,
      "",
    );
    report.add("versions on demand: CPU, bare sharp / ours", ratio("cpu"), "");
    report.add(
      `${EQUAL} equal requests in flight: CPU against one`,
      await equal(server, agent, stored, pictures),
      "",
    );
  } finally {
    agent.destroy();
    bare.kill();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Each another picture; answers when the job has made the versions of all. */
async function uploaded(
  server: MeasuredServer,
  agent: Agent,
  folder: string,
  count: number,
): Promise<readonly Picture[]> {
  const documents = await seed(server, Math.ceil(count / 100) * 100);
  const items = `/v1/${server.realm}/shop/items`;
  mkdirSync(join(folder, "bare"));
  const pictures: Picture[] = [];
  for (const document of documents.slice(0, count)) {
    const noise = { type: "gaussian", mean: 128, sigma: 40 } as const;
    const { data, info } = await sharp({
      create: { width: WIDTH / 4, height: HEIGHT / 4, channels: 3, background: "#888", noise },
    })
      .blur(1.5)
      .raw()
      .toBuffer({ resolveWithObject: true });
    const body = await sharp(data, { raw: info }).resize(WIDTH, HEIGHT).jpeg({ quality: 88 }).toBuffer();
    const headers = { "content-type": "image/jpeg" };
    const at = `${items}/${document}/_files/photo`;
    const { status, text } = await sent(server, agent, { method: "POST", path: at, headers, body: [body] });
    if (status !== 201) throw new Error(`an image: answered ${status} ${text}`);
    const { id }: { readonly id: string } = JSON.parse(text);
    const path = `${at}/${id}`;
    const file = join(folder, "bare", `${id}.jpg`);
    // What is stored is written anew: both are to work on the same.
    writeFileSync(file, Buffer.from(await (await fetch(`${server.url}${path}`)).arrayBuffer()));
    pictures.push({ path, file });
  }
  const where = encodeURIComponent(JSON.stringify({ photo: { $notNull: true } }));
  for (;;) {
    const answer = await fetch(`${server.url}${items}?limit=100&where=${where}`);
    const text = await answer.text();
    if (!text.includes('"pending"')) return pictures;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Takes all versions away. */
function forget(stored: string): void {
  for (const shelf of readdirSync(stored, { withFileTypes: true })) {
    if (!/^[0-9a-f]{2}$/.test(shelf.name)) continue;
    for (const name of readdirSync(join(stored, shelf.name)))
      if (name.endsWith(".versions")) rmSync(join(stored, shelf.name, name), { recursive: true });
  }
}

async function onDemand(
  server: MeasuredServer,
  agent: Agent,
  pictures: readonly Picture[],
): Promise<LoadMeasure> {
  let next = 0;
  const lane = async () => {
    for (let one = pictures[next++]; one !== undefined; one = pictures[next++])
      await thumbOf(server, agent, one);
  };
  const began = performance.now();
  let time = 0;
  const cpu = await cpuOf(server, async () => {
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    time = (performance.now() - began) * 1000;
  });
  return { cpu: cpu / pictures.length, time: time / pictures.length };
}

async function thumbOf(server: MeasuredServer, agent: Agent, { path }: Picture): Promise<void> {
  const { status, text } = await sent(server, agent, { method: "GET", path: `${path}?version=thumb` });
  if (status !== 200) throw new Error(`a version: answered ${status} ${text}`);
}

async function alone(bare: ChildProcess, folder: string, pictures: readonly Picture[]): Promise<LoadMeasure> {
  const images = pictures.map(({ file }, at) => ({ from: file, to: join(folder, "bare", `${at}.out.jpg`) }));
  const answer = once(bare, "message");
  bare.send({ images, ...thumb, atOnce: AT_ONCE });
  const [measure]: LoadMeasure[] = await answer;
  if (measure === undefined) throw new Error("sharp alone answers nothing");
  const { cpu, time } = measure;
  return { cpu: cpu / pictures.length, time: time / pictures.length };
}

/** What so many requests for the same version, at the same time, cost more than one. */
async function equal(
  server: MeasuredServer,
  agent: Agent,
  stored: string,
  pictures: readonly Picture[],
): Promise<number> {
  const cost = async (picture: Picture, requests: number) => {
    forget(stored);
    return cpuOf(server, () =>
      Promise.all(Array.from({ length: requests }, () => thumbOf(server, agent, picture))),
    );
  };
  const ratios: number[] = [];
  for (const picture of pictures.slice(0, AT_ONCE)) {
    const one = await cost(picture, 1);
    ratios.push((await cost(picture, EQUAL)) / one);
  }
  return middle(ratios);
}
