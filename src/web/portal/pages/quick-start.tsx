import type { PortalSite } from "../../../client/transport/portal-schema.gen.ts";
import { curlOf, type ExampleRequest } from "../../../lib/text/curl.ts";
import { CodeBlock } from "../../reference/code-block.tsx";

interface QuickStartProps {
  steps: { title: string; text: string }[];
  /** The API whose first request is shown. */
  api: (Pick<PortalSite["apis"][number], "title"> & { example?: ExampleRequest }) | undefined;
  /** What the sample sends as the key. */
  apiKey: string;
}

/** The way to the first request, with the request itself. */
export function QuickStart({ steps, api, apiKey }: QuickStartProps) {
  const code = api?.example && curlOf(api.example, apiKey);
  return (
    <div className="quick-start">
      <ol className="steps">
        {steps.map(({ title, text }) => (
          <li key={title}>
            <strong>{title}</strong>
            <span>{text}</span>
          </li>
        ))}
      </ol>
      {code && <CodeBlock text={code} label={api.title} />}
    </div>
  );
}
