import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compiled } from "./compiled.mjs";

let root = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "realmc-compiled-"));
  write(
    "main.ts",
    'import { answer } from "./answer.ts";\nexport const main: string = "the answer is " + answer;\n',
  );
  write("answer.ts", "export const answer: number = 1;\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Some time ago: a source that is as new as the compilation is compiled again. */
function write(name: string, text: string, seconds = 1_000): void {
  const path = join(root, name);
  writeFileSync(path, text);
  utimesSync(path, seconds, seconds);
}

const options = () => ({ root, entry: "main.ts", folder: join(root, "kept") });

async function run(): Promise<string> {
  const url = await compiled(options());
  const { main }: { main: string } = await import(/* @vite-ignore */ String(url));
  return main;
}

test("what is compiled is kept until a source changes", async () => {
  expect(await run()).toBe("the answer is 1");
  const first = await compiled(options());
  // As old and as long as before, and wrong: nobody looks.
  write("answer.ts", "export const answer: number = +;\n");
  expect(await compiled(options())).toBe(first);
  write("answer.ts", "export const answer: number = 2;\n", 2_000);
  expect(await run()).toBe("the answer is 2");
});

test("a source that is as new as the compilation is not relied on", async () => {
  write("answer.ts", "export const answer: number = 3;\n", Date.now() / 1_000 + 60);
  expect(await run()).toBe("the answer is 3");
  write("answer.ts", "export const answer: number = 4;\n", Date.now() / 1_000 + 60);
  expect(await run()).toBe("the answer is 4");
});

test("outcomes of long ago are removed", async () => {
  await compiled(options());
  const outdated = readdirSync(join(root, "kept")).find((name) => name.startsWith("main-")) ?? "";
  utimesSync(join(root, "kept", outdated), 1_000, 1_000);
  write("answer.ts", "export const answer: number = 2;\n", 2_000);
  await compiled(options());
  const kept = readdirSync(join(root, "kept"));
  expect(kept).not.toContain(outdated);
  expect(kept.filter((name) => name.startsWith("main-"))).toHaveLength(1);
});

test("where nothing can be kept there is no outcome", async () => {
  expect(await compiled({ ...options(), folder: join(root, "main.ts/kept") })).toBeUndefined();
});
