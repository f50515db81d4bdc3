/** Run before every test file. The module is evaluated once in each worker, so that answers are judged once. */
import "./watched-fetch.ts";
