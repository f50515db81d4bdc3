/** What compiles with the functions of a client and what does not; run by compilers alone. */
import { type Client as Blog, outcome } from "../../generated/blog/client.ts";
import type { Client as Shop } from "../../templates/functions/testdata/generated/shop/client.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

function same<A, B>(_: Same<A, B>): void {}

export async function calls({ call }: Shop): Promise<void> {
  const closed = await call.sales.close({ org: "o1", lines: [{ sku: "s" }] }, { idempotencyKey: "k" });
  same<typeof closed.closed, boolean | undefined>(true);
  // @ts-expect-error required
  await call.sales.close({});
  // @ts-expect-error not a member
  await call.sales.close({ org: "o1", urgent: true });
  const anything = await call.sales.delete();
  same<typeof anything, unknown>(true);
  // @ts-expect-error a webhook
  call.sales["payment-notice"];
  // @ts-expect-error an event function
  call.sales.watch;

  const job = await call.sales.close.queue({ org: "o1" });
  const later = await job.wait({ signal: AbortSignal.timeout(60_000) });
  same<typeof later, typeof closed>(true);
  same<Awaited<ReturnType<typeof job.status>>["result"], typeof closed | null>(true);

  const asked = await outcome(call.sales.close({ org: "o1" }));
  if (asked.ok) return;
  switch (asked.error.code) {
    case "idempotency_key_required":
    case "function_timeout":
    case "already_closed":
      break;
    default:
  }
}

export function withoutCalls(client: Blog): void {
  // @ts-expect-error no functions
  client.call;
}
