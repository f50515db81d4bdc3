import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { programOf } from "../../../scripts/program.ts";
import { type ProcessPlace, processPlace } from "../../store/testing/stores.ts";
import { moduleOf, plain, serve } from "./testing/served.ts";
import { commandOf, passingFolder } from "./testing/shop.ts";

const script = await programOf("runtime/instance/transfer/testing/fixture-import.ts");

/** Every tenth does not fit. */
const lines = Array.from({ length: 1_200 }, (_, n) => {
  const title = n % 10 === 7 ? "" : `${n}`;
  return `${JSON.stringify({ id: `i${10_000 + n}`, title })}\n`;
});
const refused = lines.filter((line) => line.includes('"title":""'));

/** Milliseconds: each test starts a process. */
const timeout = 120_000;

describe("import, killed with -9 in the middle", { timeout }, () => {
  let place: ProcessPlace;
  let folder: ReturnType<typeof passingFolder>;
  beforeEach(() => {
    place = processPlace();
    folder = passingFolder();
  });
  afterEach(async () => {
    folder.discard();
    await place.discard();
  });

  const from = () => join(folder.path, "plain.ndjson");
  const rejects = () => join(folder.path, "rejects.ndjson");
  const words = () => [
    ...["--store", place.setting, "--from", from(), "--collection", "main/plain"],
    ...["--rejects", rejects(), "--batch", "400"],
  ];
  const command = (...more: readonly string[]) => commandOf([moduleOf([plain], place.realm)], more);

  async function killed(realm = place.realm, given = words(), key = ""): Promise<void> {
    const child = spawn(process.execPath, [script, realm, ...given], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, REALMC_KEY: key },
    });
    const ended = once(child, "exit");
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await ended;
  }

  it("goes on: each document once, each rejected one told once", async () => {
    writeFileSync(from(), lines.join(""));
    await killed();
    // What a batch that was not committed has left.
    appendFileSync(rejects(), '{"line":401,"id"');
    const { code, out, err } = await command("import", ...words());
    expect([code, out]).toEqual([1, `${place.realm} main/plain: 1080 created, 0 replaced, 120 rejected\n`]);
    expect(err).toContain("main/plain: goes on after line 400");
    const told = readFileSync(rejects(), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).id);
    expect(told).toEqual(refused.map((line) => JSON.parse(line).id));
    const words2 = ["--store", place.setting, "--to", "-", "--collection", "main/plain"];
    const exported = await command("export", ...words2);
    expect(exported.out).toBe(lines.filter((line) => !refused.includes(line)).join(""));
    const again = await command("import", ...words());
    expect(again.out).toContain("0 created, 0 replaced, 1200 rejected");
  });

  it("through a server, too", async () => {
    writeFileSync(from(), lines.join(""));
    const served = await serve([plain]);
    const words = [
      ...["--from", from(), "--collection", "main/plain"],
      ...["--rejects", rejects(), "--batch", "400"],
    ];
    try {
      await killed("shop", [...words, "--url", served.shop.url], served.key);
      appendFileSync(rejects(), '{"line":401,"id"');
      const { code, out, err } = await served.command(["import", ...words]);
      expect([code, out]).toEqual([1, "shop main/plain: 1080 created, 0 replaced, 120 rejected\n"]);
      expect(err).toContain("main/plain: goes on after line 400");
      const told = readFileSync(rejects(), "utf8").trimEnd().split("\n");
      expect(told.map((line) => JSON.parse(line).id)).toEqual(refused.map((line) => JSON.parse(line).id));
      const exported = await served.command(["export", "--to", "-", "--collection", "main/plain"]);
      expect(exported.out).toBe(lines.filter((line) => !refused.includes(line)).join(""));
    } finally {
      await served.stop();
    }
  });

  it("is not gone on with by another file of the same name, nor by other options", async () => {
    writeFileSync(from(), lines.join(""));
    await killed();
    writeFileSync(from(), lines.slice(1).join(""));
    expect(await command("import", ...words())).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("is not what the import began with that was interrupted after line 400"),
    });
    const merged = await command("import", ...words(), "--mode", "merge");
    expect(merged.err).toContain("another import was interrupted after line 400; it is not gone on with");
    expect(merged.out).toContain("720 created, 359 replaced, 120 rejected");
  });
});
