/** What of a client a page holds: bundled, minified and compressed as it is delivered. */
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { expect, it } from "vitest";
import { root } from "../workspace.ts";

/** Bytes of a program that imports a realm's client. */
function sizeOf(realm: string, names: string, use: string): number {
  const { outputFiles } = buildSync({
    stdin: {
      contents: `import { ${names} } from "./client.ts";\n${use}`,
      resolveDir: join(root, "generated", realm),
    },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    minify: true,
    legalComments: "none",
    absWorkingDir: root,
  });
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
}

const options = `{ baseUrl: "https://api.example.com" }`;
const tickets = [
  `const tickets = collection(connect(${options}), "support", "tickets");`,
  `console.log(await tickets.list({ limit: 50 }), await tickets.get("t1"));`,
  `await tickets.create({ subject: "Help", status: "open" }, { org: "o1" });`,
].join("\n");

it("one collection (list, get, create) is under 4,000 bytes in a page, however many the realm has", () => {
  expect(sizeOf("helpdesk", "connect, collection", tickets)).toBeLessThan(4_000);
});

it.each([
  ["blog", 8_000],
  ["helpdesk", 13_000],
  ["inventory", 9_000],
])("the whole client of %s is under %i bytes in a page", (realm, most) => {
  expect(sizeOf(realm, "createClient", `globalThis.client = createClient(${options});`)).toBeLessThan(most);
});
