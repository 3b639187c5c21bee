/**
 * Modules that nearly every page uses, in the first chunk: the bundler would create a small chunk for each, and the
 * first page would wait for all of them.
 */
import "../../../lib/text/curl.ts";
import "../../components/time.tsx";
import "../../lib/format.ts";
import "../../lib/shell.ts";
import "../queries/buckets.tsx";
import "../queries/found.ts";
import "../queries/use-settled.ts";
import "../shell/page.tsx";
