import { Link } from "@tanstack/react-router";
import type { DeploymentTryResponse } from "../../../../../client/index.ts";
import { Notice } from "../../../../components/notice.tsx";
import { formatMs, indentedJson } from "../../../../lib/format.ts";
import { StatusBadge } from "../../requests/status.tsx";

/** The response of a deployment. It is shown as text, whatever its type. */
export function TryResult({ response }: { response: DeploymentTryResponse }) {
  const { status, headers, body, bodyEncoding, isTruncated, durationMs, requestId } = response;
  return (
    <section className="stack stack-tight" aria-label="Response" aria-live="polite">
      <div className="row row-wrap">
        <StatusBadge status={status} />
        <span className="muted">after {formatMs(durationMs)}</span>
        <Link className="mono small" to="/requests" search={{ id: requestId }} title="Why it had this outcome">
          {requestId}
        </Link>
      </div>
      {isTruncated && <Notice>Only the first 1 MiB, or what arrived within 30 seconds, is shown.</Notice>}
      {bodyEncoding === "base64" && body !== "" && <Notice>The body is not text. It is shown in Base64.</Notice>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: A scrollable area must be reachable by keyboard. */}
      <section className="code try-body" tabIndex={0} aria-label="Body of the response">
        <pre>{body === "" ? "(no body)" : indentedJson(body)}</pre>
      </section>
      <details>
        <summary>{headers.length} headers</summary>
        <dl className="facts">
          {headers.map(({ name, value }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: A header may appear several times.
            <div className="fact" key={index}>
              <dt className="mono">{name}</dt>
              <dd className="mono wrap-anywhere">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
}
