export { alternatives, closest, didYouMean } from "../../runtime/suggest.ts";
