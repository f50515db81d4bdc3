/** The nginx configuration of docs/deploying.md, run as it is written but for its port and its certificate. */
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Upload } from "tus-js-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forgetSignals } from "../../runtime/files/testing/forget-signals.ts";
import { type Started, startRealm, testSettings } from "../../runtime/instance/testing/servers.ts";
import { until } from "../../runtime/testing/until.ts";
import { compileRealm } from "../compiled.ts";
import { nginx, type ProxyServer, startProxy } from "./proxy.ts";

const MIB = 2 ** 20;
const STREAMS = 1_000;

describe.skipIf(nginx === undefined)(
  "nginx as docs/deploying.md has it (skipped where nginx is not installed)",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "realmc-nginx-"));
    let server: Started;
    let proxy: ProxyServer;

    beforeAll(async () => {
      const { limits } = testSettings.realtime;
      const many = { ...limits, maxStreamsPerCaller: STREAMS, streamsPerSecond: STREAMS };
      const config = fileURLToPath(new URL("config", import.meta.url));
      server = await startRealm(await compileRealm(config, "depot"), {
        settings: { data: join(folder, "data"), realtime: { ...testSettings.realtime, limits: many } },
      });
      proxy = await startProxy(folder, server.url);
    });
    afterAll(async () => {
      await proxy.stop();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
      forgetSignals();
    });

    const crates = () => `${proxy.url}/v1/depot/main/crates`;
    async function crate(label: string): Promise<string> {
      const made = await fetch(crates(), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ label }),
      });
      expect(made.status).toBe(201);
      const { id }: { id: string } = JSON.parse(await made.text());
      return id;
    }
    const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

    test("passes a file of 100 MiB through, up and down", async () => {
      const bytes = randomBytes(100 * MIB);
      const sent = await fetch(`${crates()}/${await crate("large")}/_files/scan`, {
        method: "POST",
        body: bytes,
      });
      expect(sent.status).toBe(201);
      expect(await sent.json()).toMatchObject({ size: bytes.length, sha256: digest(bytes) });
      const back = await fetch(new URL(sent.headers.get("location") ?? "", proxy.url));
      expect(digest(new Uint8Array(await back.arrayBuffer()))).toBe(digest(bytes));
    });

    test("holds a resumable upload in several pieces", async () => {
      const bytes = randomBytes(8 * MIB);
      const id = await crate("resumed");
      await new Promise<void>((resolve, reject) => {
        const upload = new Upload(bytes, {
          endpoint: `${crates()}/${id}/_files/scan/_tus`,
          chunkSize: 3 * MIB,
          onSuccess: () => resolve(),
          onError: reject,
        });
        upload.start();
      });
      const read = await fetch(`${crates()}/${id}`);
      expect(await read.json()).toMatchObject({ scan: { sha256: digest(bytes) } });
    });

    test("refuses a document that is longer than the server takes", async () => {
      const body = JSON.stringify({ label: "x".repeat(2 * MIB) });
      const refused = await fetch(crates(), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      expect(refused.status).toBe(413);
    });

    test("tells each of 1,000 streams of a change, beside other requests of the same address", async () => {
      const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
      const body = JSON.stringify({ subscriptions: [{ id: "all", db: "main", collection: "crates" }] });
      let ready = 0;
      const informed = new Set<number>();
      const failed: string[] = [];
      const streams = Array.from({ length: STREAMS }, (_, at) => {
        const asking = request(`${proxy.url}/v1/depot/_realtime`, {
          agent,
          method: "POST",
          headers: { "content-type": "application/json" },
        });
        asking.on("error", (error) => failed.push(error.message));
        asking.on("response", (answer) => {
          if (!(answer instanceof IncomingMessage) || answer.statusCode !== 200) {
            failed.push(`status ${answer.statusCode}`);
            return;
          }
          ready += 1;
          let text = "";
          answer.setEncoding("utf8").on("error", () => undefined);
          answer.on("data", (chunk: string) => {
            text += chunk;
            if (/^event: created$/m.test(text)) informed.add(at);
          });
        });
        asking.end(body);
        return asking;
      });
      await until(() => expect([ready, failed]).toEqual([STREAMS, []]), { limit: 120_000 });
      await crate("followed");
      await until(() => expect(informed.size).toBe(STREAMS), { limit: 120_000 });
      for (const stream of streams) {
        stream.removeAllListeners("error");
        stream.on("error", () => undefined);
        stream.destroy();
      }
    });
  },
);
