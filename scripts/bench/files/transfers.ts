/** Uploads and downloads of files of several sizes, ours and by hand. */
import { randomBytes } from "node:crypto";
import { Agent } from "node:http";
import { middle } from "../middle.ts";
import type { MeasuredServer } from "../servers.ts";
import { type Both, inTurn, type Setting } from "../setting.ts";
import { seed } from "../workload.ts";
import { type FileRequest, type Load, type LoadMeasure, measureLoad, sent } from "./load.ts";

interface Size {
  readonly name: string;
  readonly bytes: number;
  readonly connections: number;
  readonly uploads: number;
  readonly downloads: number;
}

const KIB = 1_024;
const MIB = 1_048_576;

const sizes: readonly Size[] = [
  { name: "1 KiB", bytes: KIB, connections: 64, uploads: 2_000, downloads: 10_000 },
  { name: "1 MiB", bytes: MIB, connections: 16, uploads: 100, downloads: 400 },
  { name: "100 MiB", bytes: 100 * MIB, connections: 2, uploads: 3, downloads: 6 },
];

/** Uploads and downloads of each size. */
export async function transfers(setting: Setting, both: Both): Promise<void> {
  for (const size of sizes) {
    const files = new Files(size.bytes);
    const amount = (whole: number) => Math.max(size.connections, Math.round(whole * setting.scale));
    await compared(setting, both, {
      name: `upload of ${size.name}`,
      bytes: size.bytes,
      prepare: async (server) => {
        const documents = await seed(server, Math.ceil(amount(size.uploads) / 100) * 100);
        return {
          ...size,
          amount: amount(size.uploads),
          status: 201,
          request: (nth) => files.upload(server, documents[nth] ?? ""),
        };
      },
    });
    const stored = new Map<MeasuredServer, readonly string[]>();
    for (const server of [both.byHand, both.generated])
      stored.set(server, await files.several(server, Math.min(50, size.connections * 2)));
    await compared(setting, both, {
      name: `download of ${size.name}`,
      bytes: size.bytes,
      prepare: async (server) => {
        const paths = stored.get(server) ?? [];
        return {
          ...size,
          amount: amount(size.downloads),
          status: 200,
          request: (nth) => ({ method: "GET", path: paths[nth % paths.length] ?? "" }),
        };
      },
    });
  }
}

interface Comparison {
  readonly name: string;
  /** Of a file. */
  readonly bytes: number;
  readonly prepare: (server: MeasuredServer) => Promise<Load>;
}

/** In turns; the first round warms up. */
async function compared(
  { rounds, report }: Setting,
  both: Both,
  { name, bytes, prepare }: Comparison,
): Promise<void> {
  const [own, its]: [LoadMeasure[], LoadMeasure[]] = [[], []];
  for (let round = -1; round < rounds; round++) {
    for (const server of inTurn(both, round)) {
      const measure = await measureLoad(server, await prepare(server));
      if (round >= 0) (server === both.generated ? own : its).push(measure);
    }
  }
  const isSmall = bytes < MIB;
  const cpu = (all: readonly LoadMeasure[]) =>
    middle(all.map((one) => one.cpu / (isSmall ? 1 : bytes / MIB))).toFixed(0);
  const speed = (all: readonly LoadMeasure[]) =>
    middle(all.map(({ time }) => (isSmall ? 1e6 : (bytes / MIB) * 1e6) / time)).toFixed(0);
  const ratio = (what: keyof LoadMeasure) =>
    middle(own.map((one, round) => (its[round] ?? one)[what] / one[what]));
  const of = isSmall ? "a request" : "a MiB";
  report.add(`${name}: CPU µs ${of}, ours / by hand`, `${cpu(own)} / ${cpu(its)}`, "");
  report.add(`${name}: CPU, by hand / ours`, ratio("cpu"), "at least 0.8");
  const unit = isSmall ? "requests" : "MiB";
  report.add(`${name}: ${unit} a second, ours / by hand`, `${speed(own)} / ${speed(its)}`, "");
  report.add(`${name}: throughput, ours / by hand`, ratio("time"), "at least 0.8");
}

let serial = 0;

/** Files of one size, each with other bytes. */
export class Files {
  readonly #bytes: Buffer;

  constructor(size: number) {
    this.#bytes = randomBytes(size);
  }

  /** @param document without a file yet */
  upload(server: MeasuredServer, document: string): FileRequest {
    const stamp = randomBytes(16);
    stamp.writeUInt32BE(serial++);
    const rest = this.#bytes.subarray(stamp.length);
    return {
      method: "POST",
      path: `${itemsOf(server)}/${document}/_files/scan`,
      headers: { "content-type": "application/octet-stream", "x-svc-filename": "scan.bin" },
      // Few bytes are one packet.
      body: rest.length < 65_536 ? [Buffer.concat([stamp, rest])] : [stamp, rest],
    };
  }

  /** Uploads some, one after the other; answers their paths. */
  async several(server: MeasuredServer, count: number): Promise<readonly string[]> {
    const agent = new Agent({ keepAlive: true });
    try {
      const paths: string[] = [];
      for (const document of (await seed(server, Math.ceil(count / 100) * 100)).slice(0, count))
        paths.push(await stored(server, agent, this.upload(server, document)));
      return paths;
    } finally {
      agent.destroy();
    }
  }
}

/** Uploads a file; answers its path. */
async function stored(server: MeasuredServer, agent: Agent, upload: FileRequest): Promise<string> {
  const { status, text } = await sent(server, agent, upload);
  if (status !== 201) throw new Error(`${server.name}: an upload answered ${status} ${text}`);
  const { id }: { readonly id: string } = JSON.parse(text);
  return `${upload.path}/${id}`;
}

function itemsOf({ realm }: MeasuredServer): string {
  return `/v1/${realm}/shop/items`;
}
