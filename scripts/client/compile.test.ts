import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { isFull } from "../../runtime/testing/random.ts";
import { root, withWorkspace } from "../workspace.ts";
import { compilers, problems } from "./compilers.ts";

const realms = readdirSync(join(root, "examples"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const clients = realms.map((realm) => `generated/${realm}/client.ts`);

const typings = ["typing", "calls-typing"].map((name) => `scripts/client/${name}.ts`);

/** All, or each on one platform. */
const settings = compilers.flatMap((compiler, at) =>
  (["browser", "node"] as const)
    .filter((_, other) => isFull || other === at % 2)
    .map((platform) => ({ compiler, platform })),
);

describe("client.ts with every strictness", () => {
  // Every wrong line of these is expected to be refused: one that is not is a problem.
  it.each(settings)(
    "compiles under $compiler for a $platform, and refuses wrong fields, operators, orders, expansions, bodies and error codes",
    ({ compiler, platform }) => {
      expect(problems(compiler, platform, [...clients, ...typings])).toEqual([]);
    },
    120_000,
  );
});

describe.each(clients)("%s", (path) => {
  const text = readFileSync(join(root, path), "utf8");

  it("holds the realm's types and what it is made of, and nothing that all clients are", () => {
    expect(text).not.toMatch(/\brequire\(|\bimport\(|^(?:export )?class /m);
    const modules = [...text.matchAll(/\bfrom "([^"]+)";/g)].map(([, from]) => from);
    expect(new Set(modules)).toEqual(new Set(["realmc/client"]));
  });
});

it("what docs/client.md shows compiles", async () => {
  const page = readFileSync(join(root, "docs/client.md"), "utf8");
  const shown = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text]) => text).join("\n");
  await withWorkspace((folder) => {
    const file = join(folder, "shown.ts");
    const client = relative(folder, join(root, "generated/helpdesk/client.ts"));
    writeFileSync(file, shown.replaceAll("./helpdesk/client.ts", client));
    expect(problems("typescript-5.9", "browser", [relative(root, file)])).toEqual([]);
  });
}, 120_000);
