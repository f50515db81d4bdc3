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

async function posted(body: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${server.url}/v1/shop/main/orders`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return { status: response.status, text: await response.text() };
}

/** `201`, or status and code with the path and reason of each detail. The body is sent as written. */
async function created(body: string): Promise<string> {
  const response = await posted(body);
  if (response.status < 300) return String(response.status);
  const { error }: { error: { code: string; details: { path: string; reason: string }[] } } = JSON.parse(
    response.text,
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

  test.each([...spellings, "9007199254740993", "1e21", "-1152921504606846977", "5e-324"])(
    "%s is taken where the schema says number, as the double that it is, and found",
    async (number) => {
      const taken = JSON.stringify(Number(number));
      const answer = await posted(`{"ratio":${number},"ratios":[${number},0.5]}`);
      expect([answer.status, answer.text]).toEqual([201, expect.stringContaining(`"ratio":${taken},`)]);
      expect(answer.text).toContain(`"ratios":[${taken},0.5]`);
      const id: string = JSON.parse(answer.text).id;
      for (const where of [
        { ratio: Number(number) },
        { ratio: { $gte: Number(number), $lte: Number(number) } },
        { ratio: { $in: [Number(number)] } },
        { ratios: Number(number) },
      ]) {
        const found = await fetch(
          `${server.url}/v1/shop/main/orders?where=${encodeURIComponent(JSON.stringify({ ...where, id }))}`,
        );
        expect([where, found.status, JSON.parse(await found.text()).items.length]).toEqual([where, 200, 1]);
      }
    },
  );

  test("numbers are ordered, and come in pages, whatever their size", async () => {
    const numbers = [-1e300, -1e16, -(2 ** 53), 0.5, 2 ** 53, 2 ** 60, 1e20, 1e21];
    for (const ratio of [...numbers].reverse())
      expect(await created(JSON.stringify({ ratio, maybe: "ordered" }))).toBe("201");
    const found: number[] = [];
    const list = async (after?: string): Promise<void> => {
      const query = new URLSearchParams({ where: '{"maybe":"ordered"}', order_by: "ratio", limit: "3" });
      if (after !== undefined) query.set("after", after);
      const response = await fetch(`${server.url}/v1/shop/main/orders?${query}`);
      const page: { items: { ratio: number }[]; next_cursor?: string | null } = JSON.parse(
        await response.text(),
      );
      found.push(...page.items.map(({ ratio }) => ratio));
      if (typeof page.next_cursor === "string") await list(page.next_cursor);
    };
    await list();
    expect(found).toEqual(numbers);
  });

  test("in a batch they are judged by the field of their collection", async () => {
    const batch = (document: string) =>
      fetch(`${server.url}/v1/shop/main/_batch`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: `{"operations":[{"op":"create","collection":"orders","document":{"ratio":1e16}},{"op":"create","collection":"orders","document":${document}}]}`,
      });
    expect((await batch('{"ratio":-9007199254740993}')).status).toBe(200);
    const refused = await batch('{"ratio":1e16,"count":1e16}');
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining(beyond)]);
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
