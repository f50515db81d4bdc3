import { nothing } from "no-such-package";
import { more } from "@no-such/package/part";

export default () => ({ body: String(nothing + more) });
