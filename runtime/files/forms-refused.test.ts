/** Forms (`multipart/form-data`) that no file is taken from leave nothing behind. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { code, collection } from "../documents/testing/shop.ts";
import { untilHolds } from "../testing/until.ts";
import { pdf } from "./testing/direct.ts";
import { formHeaders, formOf, type Part } from "./testing/forms.ts";
import { type Brought, fileField, startVault, type Vault } from "./testing/vault.ts";

const mib = 1024 * 1024;
const papers = collection("papers", {
  files: [
    fileField("scan"),
    fileField("photo", { accept: ["image/png"] }),
    fileField("direct", { upload: "direct", maxSize: 4 * mib }),
  ],
});

let vault: Vault;
beforeAll(async () => {
  vault = await startVault("disabled", [papers], { quota: 2 * mib });
});
afterAll(() => vault.stop());

const file = (bytes: Part["bytes"], more: Partial<Part> = {}): Part => ({
  headers: 'name="file"; filename="Bill 1.pdf"',
  bytes,
  ...more,
});

describe("Nothing is left of", () => {
  const left = async () => [await vault.lying(), await vault.records("blobs"), await vault.records("usage")];
  const form = formOf([file("hello")]).toString("latin1");

  it.each<[string, string, Brought, number, string]>([
    [
      "a form without a file",
      "scan",
      { bytes: formOf([{ headers: 'name="a"', bytes: "x" }]) },
      415,
      "unsupported_media_type",
    ],
    ["a form with nothing", "scan", { bytes: formOf([]) }, 415, "unsupported_media_type"],
    [
      "a form with two files",
      "scan",
      { bytes: formOf([file("a"), file("b")]) },
      415,
      "unsupported_media_type",
    ],
    [
      "a form with two large files",
      "scan",
      { bytes: formOf([file(randomBytes(500_000)), file(randomBytes(500_000))]) },
      415,
      "unsupported_media_type",
    ],
    [
      "a form of 101 parts",
      "scan",
      { bytes: formOf(Array.from({ length: 101 }, () => ({ headers: 'name="a"', bytes: "x" }))) },
      415,
      "unsupported_media_type",
    ],
    [
      "a form that ends in its file",
      "scan",
      { bytes: form.slice(0, form.indexOf("llo")) },
      400,
      "validation_error",
    ],
    [
      "a form without its last boundary",
      "scan",
      { bytes: form.slice(0, form.lastIndexOf("------")) },
      400,
      "validation_error",
    ],
    ["a body that is no form", "scan", { bytes: "hello" }, 400, "validation_error"],
    ["no body at all", "scan", {}, 400, "validation_error"],
    [
      "a form without a boundary",
      "scan",
      { bytes: form, headers: { "content-type": "multipart/form-data" } },
      400,
      "invalid_header",
    ],
    [
      "a name with control characters",
      "scan",
      { bytes: formOf([file("x", { headers: "name=\"f\"; filename*=UTF-8''a%00b" })]) },
      400,
      "invalid_header",
    ],
    [
      "a type that is none",
      "scan",
      { bytes: formOf([file("x", { type: "nothing" })]) },
      400,
      "invalid_header",
    ],
    [
      "a file of another type than it says",
      "scan",
      { bytes: formOf([file(pdf(10), { type: "image/png" })]) },
      415,
      "unsupported_file_type",
    ],
    [
      "a file of a type that is not taken",
      "photo",
      { bytes: formOf([file(pdf(10), { type: "application/pdf" })]) },
      415,
      "unsupported_file_type",
    ],
    [
      "a file that is too large",
      "scan",
      { bytes: formOf([file(randomBytes(mib + 1))]) },
      413,
      "payload_too_large",
    ],
    [
      "a form that is too large",
      "scan",
      { bytes: formOf([{ headers: 'name="a"', bytes: randomBytes(1_200_000) }]) },
      413,
      "payload_too_large",
    ],
    [
      "a file of another mode",
      "direct",
      { bytes: formOf([file(randomBytes(mib + 1))]) },
      409,
      "upload_mode_mismatch",
    ],
    [
      "another form of parts",
      "scan",
      { bytes: form, headers: { "content-type": "multipart/mixed; boundary=x" } },
      415,
      "unsupported_media_type",
    ],
    [
      "a form without parts",
      "scan",
      { bytes: "file=bill.pdf", headers: { "content-type": "application/x-www-form-urlencoded" } },
      415,
      "unsupported_media_type",
    ],
  ])("%s into %s", async (_, field, brought, status, expected) => {
    const id = await vault.made("papers");
    const before = await left();
    const answer = await vault.bring("POST", `papers/${id}/_files/${field}`, {
      headers: formHeaders,
      ...brought,
    });
    expect([answer.status, code(answer)]).toEqual([status, expected]);
    if (expected === "unsupported_media_type")
      expect(answer.bytes.toString()).toMatch(/at most 100 parts|filename/);
    await untilHolds(async () => JSON.stringify(await left()) === JSON.stringify(before));
    expect((await vault.send("GET", `papers/${id}`)).body).toMatchObject({ _meta: { version: 1 } });
  });

  it("a form whose client breaks off, wherever that is", async () => {
    const bytes = formOf([{ headers: 'name="a"', bytes: "x" }, file(randomBytes(300_000))]);
    const id = await vault.made("papers");
    const before = await left();
    for (const length of [0, 10, 100, 300, 200_000, bytes.length - 1]) {
      const { hostname, port } = new URL(vault.url);
      const socket = connect(Number(port), hostname);
      socket.write(
        [
          `POST /v1/shop/main/papers/${id}/_files/scan HTTP/1.1`,
          "Host: shop",
          `Content-Type: ${formHeaders["content-type"]}`,
          `Content-Length: ${bytes.length}`,
          "\r\n",
        ].join("\r\n"),
      );
      await new Promise<void>((resolve) => socket.write(bytes.subarray(0, length), () => resolve()));
      socket.destroy();
      await once(socket, "close");
    }
    await untilHolds(async () => JSON.stringify(await left()) === JSON.stringify(before));
    expect((await vault.send("GET", `papers/${id}`)).body).toMatchObject({ _meta: { version: 1 } });
  });
});

it("Beyond a quota a form is 413 quota_exceeded as it comes", async () => {
  const bytes = formOf([file(randomBytes(mib))]);
  const statuses: (number | string)[] = [];
  for (let round = 0; round < 3; round += 1) {
    const id = await vault.made("papers");
    const answer = await vault.bring("POST", `papers/${id}/_files/scan`, { bytes, headers: formHeaders });
    statuses.push(answer.status === 201 ? 201 : code(answer));
  }
  expect(statuses).toEqual([201, 201, "quota_exceeded"]);
});
