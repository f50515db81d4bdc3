import { describe, expect, test } from "vitest";
import { failureText } from "./handler-log.ts";

describe("why a handler failed, as realmc dev tells it", () => {
  test("is one line with the place in the handler, where the stack is that place alone", () => {
    const reason = "TypeError: no x\n    at close (desk/support/_func/close/handler.ts:4:26)";
    expect(failureText(reason, "config", "desk")).toBe(
      "failed: TypeError: no x (config/desk/support/_func/close/handler.ts:4:26)",
    );
    expect(failureText("Error: x\n    at desk/a.ts:1:2", "./config/", "desk")).toBe(
      "failed: Error: x (./config/desk/a.ts:1:2)",
    );
  });

  test("has the stack once; the place is the innermost one of the realm", () => {
    const reason = [
      "Error: boom",
      "    at parse (/app/node_modules/yaml/index.js:1:9)",
      "    at inner (desk/_shared/inner.ts:10:9)",
      "    at async close (desk/support/_func/close/handler.ts:4:22)",
    ].join("\n");
    expect(failureText(reason, "config", "desk").split("\n")).toEqual([
      "failed: Error: boom (config/desk/_shared/inner.ts:10:9)",
      "at parse (/app/node_modules/yaml/index.js:1:9)",
      "at inner (config/desk/_shared/inner.ts:10:9)",
      "at async close (config/desk/support/_func/close/handler.ts:4:22)",
    ]);
  });

  test("is the reason alone where nothing has a place", () => {
    expect(failureText("it threw 7", "config", "desk")).toBe("failed: it threw 7");
  });
});
