import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../workspace.ts";
import { productTests } from "./product.ts";

/** What packs and installs, drives a browser, runs a proxy, or runs others' tools. */
const ofProduct = /from "[\w./-]+\/(?:tarball|browser|proxy|tools)\.ts"/;

it("a test that packs, browses or runs others' tools is one of the product's, and no other is", () => {
  const found = readdirSync(join(root, "scripts"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(root, "scripts", name)).map((file) => `scripts/${name}/${file}`))
    .filter((path) => path.endsWith(".test.ts") && ofProduct.test(readFileSync(join(root, path), "utf8")));
  expect(found.sort()).toEqual([...productTests].sort());
});
