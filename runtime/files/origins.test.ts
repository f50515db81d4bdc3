/** Files for pages of another origin that the realm lists. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collection, text } from "../documents/testing/shop.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const origin = "https://app.example.com";
const read = ["Accept-Ranges", "Content-Range", "Content-Disposition", "Content-Length", "ETag", "Location"];
const papers = collection("papers", {
  files: [fileField("scan", { upload: "any" }), fileField("sent", { upload: "direct" })],
});

let vault: Vault;
let paths: Readonly<Record<string, string>>;
beforeAll(async () => {
  vault = await startVault("disabled", [papers], {}, { definition: { origins: [origin] } });
  const id = await vault.made("papers");
  const { id: file } = await vault.uploaded(`papers/${id}/_files/scan`, 100);
  const { body } = await vault.send("GET", `papers/${id}?file_links=true`);
  paths = {
    "a file": `/v1/shop/main/papers/${id}/_files/scan/${file}`,
    "a signed link": text(body, "scan", "url"),
  };
});
afterAll(() => vault.stop());

const list = (header: string | null) => header?.split(", ") ?? [];

describe.each(["a file", "a signed link"])("The address of %s", (what) => {
  it("lets pages of listed origins send Range and If-Range", async () => {
    const headers = {
      origin,
      "access-control-request-method": "GET",
      "access-control-request-headers": "range",
    };
    const answer = await vault.bring("OPTIONS", paths[what] ?? "", { headers });
    expect(answer.status).toBe(204);
    expect(list(answer.headers.get("access-control-allow-headers"))).toEqual(
      expect.arrayContaining(["Range", "If-Range", "If-None-Match"]),
    );
  });

  it.each([
    ["whole", 200, {}],
    ["in part", 206, { range: "bytes=0-9" }],
    ["beyond its end", 416, { range: "bytes=1000-" }],
  ])("lets them read what its answers say, %s: %i", async (_, status, asked) => {
    const answer = await vault.bring("GET", paths[what] ?? "", { headers: { origin, ...asked } });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([status, origin]);
    expect(list(answer.headers.get("access-control-expose-headers"))).toEqual(expect.arrayContaining(read));
  });

  it("tells pages of other origins nothing", async () => {
    for (const method of ["OPTIONS", "GET"]) {
      const headers = { origin: "https://evil.example.com", range: "bytes=0-9" };
      const answer = await vault.bring(method, paths[what] ?? "", { headers });
      expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });
});
