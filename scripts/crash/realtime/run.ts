import { execFile } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { isJsonObject } from "../../../runtime/json.ts";
import { programOf } from "../../program.ts";
import { ask, closeIdle } from "../../realtime/wire/requests.ts";
import { Processes } from "../processes.ts";
import { Audience } from "./audience.ts";
import { Writer } from "./writer.ts";

export interface RealtimeReport {
  /** Writes that were acknowledged. */
  readonly acknowledged: number;
  /** Events of documents, of all subscribers. */
  readonly events: number;
  /** Documents that subscribers hold in the end. */
  readonly held: number;
  /** What is wrong; empty when all is well. */
  readonly problems: readonly string[];
}

const writers = 4;
/** Writes acknowledged between two kills, at least and at most. */
const WRITES = [20, 120] as const;
/** Kills between two rests. */
const unresting = 3;

/**
 * Has clients write while others follow, kills a server with SIGKILL again and again, and judges what followers hold and
 * were told.
 * @param setting `SVC_STORE`; on a folder one server runs at a time, on a database two
 */
export async function crashRealtime(setting: string, realm: string, kills: number): Promise<RealtimeReport> {
  const environment = {
    ...process.env,
    HOST: "127.0.0.1",
    SVC_STORE: setting,
    SVC_KEYS: randomBytes(32).toString("base64"),
    SVC_REALTIME_STREAMS_PER_SECOND: "1000",
    SVC_REALTIME_MAX_STREAMS_PER_CALLER: "100",
  };
  const words = [await programOf("scripts/crash/realtime/server.ts"), realm];
  const create = [...words, "key", "create", "--realm", realm, "--name", "crash"];
  const { stdout } = await promisify(execFile)(process.execPath, create, { env: environment });
  const robot = bearer(stdout.trim().split("\n").at(-1) ?? "");
  const processes = new Processes(words, environment);
  const url = () => `${processes.anyUrl()}/v1/${realm}`;
  try {
    await processes.start(setting.startsWith("sqlite:") ? 1 : 2);
    const all = Array.from({ length: writers }, () => new Writer({ url, headers: robot }));
    const audience = new Audience({ url, robot, user: await signedUp(url()) });
    return await run(processes, all, audience, kills);
  } finally {
    closeIdle();
    await processes.stop();
  }
}

async function run(
  processes: Processes,
  all: readonly Writer[],
  audience: Audience,
  kills: number,
): Promise<RealtimeReport> {
  // Before anything is written: who follows everything is told everything.
  await audience.comeForEverything();
  await audience.comeForSome(await Promise.all(all.map((writer) => writer.first())));
  const problems: string[] = [];
  const acknowledged = () => all.reduce((sum, writer) => sum + writer.acknowledged.length, 0);
  const isWell = () => problems.length === 0 && all.every((writer) => writer.problems.length === 0);
  for (let kill = 0; kill < kills && isWell(); ) {
    let isWriting = true;
    const writing = Promise.all(all.map((writer) => writer.run(() => isWriting)));
    for (let n = 0; n < unresting && kill < kills && isWell(); n += 1, kill += 1) {
      const enough = acknowledged() + randomInt(...WRITES);
      const told = audience.told;
      // However slow the machine is, a kill hits a server whose streams tell something.
      while (isWell() && (acknowledged() < enough || audience.told === told)) await setTimeout(5);
      await processes.replaceOne();
    }
    isWriting = false;
    await writing;
    problems.push(...(await audience.differences()));
  }
  problems.push(...(await audience.judged(all.flatMap((writer) => writer.acknowledged))));
  problems.push(...all.flatMap((writer) => writer.problems));
  const { events, held } = audience;
  await audience.leave();
  return { acknowledged: acknowledged(), events, held, problems };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function signedUp(url: string) {
  const body = { email: "user@example.com", password: "correct horse" };
  const answer = await ask("POST", `${url}/_auth/signup`, { body });
  const { session } = answer.body;
  if (!isJsonObject(session)) throw new Error(`nobody signs up: ${answer.status} ${answer.code}`);
  return bearer(String(session["token"]));
}
