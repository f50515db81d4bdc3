// @ts-expect-error
import { nothing } from "no-such-package";

export default () => ({ body: String(nothing) });
