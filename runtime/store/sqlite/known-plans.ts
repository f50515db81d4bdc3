import type { Filter } from "../../filter/algebra.ts";
import type { Order } from "../../filter/order.ts";

/**
 * What was spelled out for a filter and an order, by variant: rules and clients ask with the same ones again and again. It
 * lives as long as these.
 */
export class KnownPlans<T> {
  readonly #byFilter = new WeakMap<Filter, WeakMap<Order, Map<string, T>>>();

  of(filter: Filter, order: Order): Map<string, T> {
    let byOrder = this.#byFilter.get(filter);
    if (byOrder === undefined) {
      byOrder = new WeakMap();
      this.#byFilter.set(filter, byOrder);
    }
    let variants = byOrder.get(order);
    if (variants === undefined) {
      variants = new Map();
      byOrder.set(order, variants);
    }
    return variants;
  }
}
