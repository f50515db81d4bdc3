/** What the emitted validators refuse, through the API of a compiled realm. */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import { compileRealm } from "../compiled.ts";

let server: Started;
beforeAll(async () => {
  const config = fileURLToPath(new URL("config", import.meta.url));
  server = await startRealm([await compileRealm(config, "shop")]);
});
afterAll(() => server.stop());

/** `201`, or status and code with the path and reason of each detail. The body is sent as written. */
async function created(body: string): Promise<string> {
  const response = await fetch(`${server.url}/v1/shop/main/orders`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  if (response.status < 300) return String(response.status);
  const { error }: { error: { code: string; details: { path: string; reason: string }[] } } = JSON.parse(
    await response.text(),
  );
  const { details } = error;
  return `${response.status} ${error.code} ${details.map(({ path, reason }) => `${path}: ${reason}`).join("; ")}`;
}

const beyond = "integers must be within ±9007199254740991";

describe("Document endpoints 2: multipleOf is exact in decimals", () => {
  test("every amount of cents below 100 is a multiple of 0.01", async () => {
    const amounts = Array.from(
      { length: 10_000 },
      (_, cents) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`,
    );
    expect(amounts).toContain("19.99");
    expect(await created(`{"amounts":[${amounts}]}`)).toBe("201");
  });

  test.each(["0.015", "19.999", "0.001", "1e-9", "5e-324", "19.990000000000002"])(
    "%s is none",
    async (amount) => {
      expect(await created(`{"amount":${amount}}`)).toBe(
        "400 validation_error amount: must be a multiple of 0.01",
      );
    },
  );
});

describe("Document endpoints 2: integers are within ±(2^53 - 1)", () => {
  const spellings = [
    "1e300",
    "-1e300",
    "1e16",
    "9007199254740992",
    "9007199254740992.0",
    "1.7976931348623157e308",
    `1${"0".repeat(30)}`,
  ];

  test.each(spellings)("%s is refused where the schema says integer", async (number) => {
    const answer = (path: string) => `400 validation_error ${path}: ${beyond}`;
    expect(await created(`{"count":${number}}`)).toBe(answer("count"));
    expect(await created(`{"maybe":${number}}`)).toBe(answer("maybe"));
    expect(await created(`{"listed":[1,${number}]}`)).toBe(answer("listed.1"));
    expect(await created(`{"either":${number}}`)).toContain("400 validation_error either: ");
  });

  test.each(["9007199254740991", "-9007199254740991", "9007199254740991.0", "1e3", "-0"])(
    "%s is taken",
    async (number) => {
      expect(
        await created(`{"count":${number},"maybe":${number},"either":${number},"listed":[${number}]}`),
      ).toBe("201");
    },
  );

  test("a number field takes 1e300, which no reader takes for an integer", async () => {
    expect(await created('{"ratio":1e300}')).toBe("201");
  });
});

describe("Document endpoints 2: a value that fits more than one branch of oneOf", () => {
  test("is told so, without the reasons of branches that it does not fit", async () => {
    expect(await created('{"payer":{"iban":"x","card":"y"}}')).toBe(
      "400 validation_error payer: matches more than one of the allowed forms, and must match only one",
    );
  });

  test("one that fits none is told what each branch says", async () => {
    expect(await created('{"payer":1}')).toBe("400 validation_error payer: must be object, or must be null");
  });
});
