/** `required: true` of a file field: documents are created with a file, and keep one. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { code, collection, details, paths, text } from "../documents/testing/shop.ts";
import { formHeaders, formOf, type Part } from "./testing/forms.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const papers = collection("papers", {
  files: [
    fileField("scan", { required: true }),
    fileField("pages", { required: true, maxFiles: 3 }),
    fileField("note"),
  ],
});
const before = collection("papers", { files: [fileField("scan"), fileField("pages", { maxFiles: 3 })] });

let vault: Vault;
beforeAll(async () => {
  vault = await startVault("disabled", [papers]);
});
afterAll(() => vault.stop());

const document: Part = { headers: 'name="document"', bytes: '{"title":"a"}' };
const fileOf = (field: string, bytes = field): Part => ({ headers: `name="${field}"; filename="a"`, bytes });
const create = (...parts: readonly Part[]) =>
  vault.bring("POST", "papers/_form", { bytes: formOf([document, ...parts]), headers: formHeaders });

async function whole(): Promise<string> {
  const answer = await create(fileOf("scan"), fileOf("pages", "1"), fileOf("pages", "2"));
  expect(answer.status).toBe(201);
  return text(answer.body, "id");
}

describe("A required field", () => {
  it("has a file from the create on; other fields need none", async () => {
    const { body } = await vault.send("GET", `papers/${await whole()}`);
    expect(body).toMatchObject({
      scan: { size: 4 },
      pages: [{ size: 1 }, { size: 1 }],
      _meta: { version: 1 },
    });
    expect(body).not.toHaveProperty("note");
  });

  it("refuses forms without a file for it: 400 at its path, and nothing is left", async () => {
    const lying = await vault.lying();
    for (const [parts, missing] of [
      [[], ["scan", "pages"]],
      [[fileOf("scan")], ["pages"]],
      [[fileOf("pages"), fileOf("note")], ["scan"]],
    ] as const) {
      const answer = await create(...parts);
      expect([answer.status, code(answer), details(answer).map(({ path }) => path)]).toEqual([
        400,
        "validation_error",
        missing,
      ]);
    }
    expect(await vault.lying()).toEqual(lying);
  });

  it("refuses plain creates, naming the route that takes files; batches too, with all of their operations", async () => {
    const refused = await vault.send("POST", "papers", { body: { title: "a" } });
    expect([refused.status, code(refused), paths(refused)]).toEqual([
      400,
      "validation_error",
      ["scan", "pages"],
    ]);
    expect(refused.text).toContain("POST …/_form");
    const operations = [{ op: "create", collection: "papers", document: { title: "a" } }];
    const batch = await vault.send("POST", "_batch", { body: { operations } });
    expect([batch.status, code(batch), paths(batch)]).toEqual([
      400,
      "validation_error",
      ["0.scan", "0.pages"],
    ]);
  });

  it("keeps its last file, which can be exchanged; of several others can go", async () => {
    const id = await whole();
    const { body } = await vault.send("GET", `papers/${id}`);
    const remove = (field: string, file: string) =>
      vault.bring("DELETE", `papers/${id}/_files/${field}/${file}`);
    const scan = await remove("scan", text(body, "scan", "id"));
    expect([scan.status, code(scan), details(scan).map(({ path }) => path)]).toEqual([
      400,
      "validation_error",
      ["scan"],
    ]);
    const pages = Array.isArray(body["pages"]) ? body["pages"].map((page) => String(Object(page).id)) : [];
    const removed = [];
    for (const page of pages) removed.push((await remove("pages", page)).status);
    expect(removed).toEqual([204, 400]);
    await vault.uploaded(`papers/${id}/_files/scan?replace=true`, 9);
    expect((await vault.send("GET", `papers/${id}`)).body).toMatchObject({ scan: { size: 9 } });
  });

  it("asks nothing of later writes of the document", async () => {
    const id = await whole();
    expect((await vault.send("PUT", `papers/${id}`, { body: { title: "b" } })).status).toBe(200);
    expect((await vault.send("PATCH", `papers/${id}`, { body: { title: "c" } })).status).toBe(200);
    expect((await vault.send("DELETE", `papers/${id}`)).status).toBe(204);
  });
});

it("Documents from before the field was required are changed, and get a file, as they are", async () => {
  const older = await startVault("disabled", [before]);
  try {
    const id = await older.made("papers");
    const stored = await older.stored(before).get(id, "live");
    if (stored === undefined) throw new Error("no document");
    await vault.stored(papers).insert({ id, version: 1, text: stored.text, createdAt: vault.clock.now() });
    expect((await vault.send("PATCH", `papers/${id}`, { body: { title: "b" } })).status).toBe(200);
    expect((await vault.bring("POST", `papers/${id}/_files/scan`, { bytes: "x" })).status).toBe(201);
  } finally {
    await older.stop();
  }
});
