import { describe, expect, it } from "vitest";
import { commandOf, dataModule } from "../transfer/testing/shop.ts";
import { withoutPassword } from "./instead.ts";

/** Nobody listens there. */
const uri = "mongodb://ops:geheim@127.0.0.1:9/?replicaSet=rs0&serverSelectionTimeoutMS=50";

describe("for MongoDB", () => {
  it.each([
    ["backup", ["--store", "env:STORE"], "mongodump --uri="],
    ["restore", ["--to", "env:STORE"], "mongorestore --uri="],
    ["verify", ["env:STORE"], "mongosh "],
  ])("%s says what to run instead, without a password, and is 2", async (command, words, tool) => {
    const place = command === "verify" ? words : [...words];
    const { code, out, err } = await commandOf([dataModule("shop")], [command, ...place], { STORE: uri });
    expect(code).toBe(2);
    expect(out).toContain(tool);
    expect(out).toContain("svc-shop");
    expect(out + err).not.toMatch(/geheim/);
    expect(err).toContain("could not be asked");
  });

  it("a URI loses its password and nothing else", () => {
    expect(withoutPassword("mongodb+srv://ops:p%40ss@db.example.com/x?w=majority")).toBe(
      "mongodb+srv://ops@db.example.com/x?w=majority",
    );
    expect(withoutPassword("mongodb://ops@db/?tlsCertificateKeyFilePassword=auch&w=majority")).toBe(
      "mongodb://ops@db/?tlsCertificateKeyFilePassword=…&w=majority",
    );
    expect(withoutPassword("mongodb://one,two:27018/")).toBe("mongodb://one,two:27018/");
  });
});
