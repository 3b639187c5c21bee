/**
 * What nearly every page uses, as part of the first file: the bundler would put each into a small file of its own, and
 * the first page would wait for all of them.
 */
import "../../../lib/text/curl.ts";
import "../../components/time.tsx";
import "../../lib/format.ts";
import "../../lib/shell.ts";
import "../queries/buckets.tsx";
import "../queries/found.ts";
import "../queries/use-settled.ts";
import "../shell/page.tsx";
