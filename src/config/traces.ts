import { samplers } from "../platform/telemetry/sampler.ts";
import type { TraceOptions } from "../platform/telemetry/tracer.ts";
import type { EnvironmentReader } from "./environment-reader.ts";

/** OpenTelemetry's standard variables. If unset, there is no tracing. */
export function readTraceOptions({ given, errors }: EnvironmentReader): TraceOptions | undefined {
  const endpoint = given("OTEL_EXPORTER_OTLP_ENDPOINT");
  const name = given("OTEL_TRACES_SAMPLER") ?? "parentbased_always_on";
  const argument = given("OTEL_TRACES_SAMPLER_ARG") ?? "1";
  const headers = given("OTEL_EXPORTER_OTLP_HEADERS");
  const serviceName = given("OTEL_SERVICE_NAME") ?? "tollgate";
  if (endpoint === undefined) return undefined;

  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ""))
    errors.push("OTEL_EXPORTER_OTLP_ENDPOINT must be an address that begins with http:// or https://.");
  const sampler = samplers.find((known) => known === name);
  if (!sampler) errors.push(`OTEL_TRACES_SAMPLER must be ${samplers.join(", ")}, not ${JSON.stringify(name)}.`);

  const ratio = Number(argument);
  if (!(ratio >= 0 && ratio <= 1)) errors.push("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.");

  return {
    endpoint,
    headers: readHeaders(headers, errors),
    serviceName,
    sampler: sampler ?? "always_off",
    ratio,
  };
}

/** `name=value,name=value`, values percent-encoded. Messages do not include the values, which are credentials. */
function readHeaders(text: string | undefined, errors: string[]): Record<string, string> {
  try {
    const pairs = (text ?? "").split(",").filter((pair) => pair.trim() !== "");
    const entries = pairs.map((pair): [string, string] => {
      const at = pair.indexOf("=");
      if (at < 1) throw new TypeError("a pair has no name");
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
    });
    // Rejects names and values that are invalid in a header.
    new Headers(entries);
    return Object.fromEntries(entries);
  } catch {
    errors.push(
      "OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs, separated by commas, with values percent-encoded.",
    );
    return {};
  }
}
