import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { DescribedSchema, OperationPage } from "../../client/transport/portal-schema.gen.ts";
import { CodeBlock, SampleTabs } from "./code-block.tsx";
import { Method } from "./method.tsx";
import { Nodes } from "./nodes.tsx";
import { Details, SchemaView, typeText } from "./schema-view.tsx";

/** Method and path, how to authenticate, parameters, body and responses. */
export function OperationView({ operation, title }: { operation: OperationPage; title: string }) {
  const { parameters, body, responses } = operation;
  const usual = usualOf(responses);
  const places = ["path", "query", "header", "cookie", "querystring"] as const;
  return (
    <>
      <Security operation={operation} />
      {places.map((place) => {
        const listed = parameters.filter((each) => each.in === place);
        return (
          listed.length > 0 && (
            <Section key={place} title={titles[place]}>
              <Parameters parameters={listed} />
            </Section>
          )
        );
      })}
      {body && (
        <Section title="Body" aside={body.isRequired ? "required" : undefined}>
          <Nodes nodes={body.description} />
          <Contents contents={body.contents} />
        </Section>
      )}
      {responses.length > 0 && (
        <Section title="Responses">
          {responses.map((response) => (
            <details key={response.status} className="response" open={response === usual}>
              <summary>
                <ChevronRight size={14} aria-hidden />
                <span className={`status status-${response.status.charAt(0)}`}>{response.status}</span>
                <span className="response-text">
                  <Nodes nodes={response.description} />
                </span>
              </summary>
              {response.headers.length > 0 && (
                <ul className="members">
                  {response.headers.map(({ name, description, schema }) => (
                    <li key={name} className="member">
                      <div className="member-head">
                        <code>{name}</code>
                        {schema && <span className="member-type">{typeText(schema)}</span>}
                      </div>
                      <Nodes nodes={description} />
                    </li>
                  ))}
                </ul>
              )}
              <Contents contents={response.contents} />
            </details>
          ))}
        </Section>
      )}
      <p className="visually-hidden">{title}</p>
    </>
  );
}

const titles = {
  path: "Path parameters",
  query: "Query parameters",
  header: "Headers",
  cookie: "Cookies",
  querystring: "Query",
};

function Section({ title, aside, children }: { title: string; aside?: string | undefined; children: ReactNode }) {
  return (
    <section className="op-section">
      <h2>
        {title} {aside && <span className="required">{aside}</span>}
      </h2>
      {children}
    </section>
  );
}

function Security({ operation: { security, keyHeader } }: { operation: OperationPage }) {
  if (security && security.length > 0)
    return (
      <Section title="Authentication">
        <p>
          {security.map((all, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: alternatives have no name.
            <span key={index}>
              {index > 0 && <strong> or </strong>}
              {all.length === 0 ? "none" : all.map(({ text }) => text).join(" and ")}
            </span>
          ))}
        </p>
      </Section>
    );
  if (!keyHeader) return null;
  return (
    <Section title="Authentication">
      <p>
        An API key in the header{" "}
        <code>
          {keyHeader.header}: {keyHeader.prefix}…
        </code>
      </p>
    </Section>
  );
}

function Parameters({ parameters }: { parameters: OperationPage["parameters"] }) {
  return (
    <div className="parameters">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Description</th>
          </tr>
        </thead>
        <tbody>
          {parameters.map(({ name, isRequired, isDeprecated, schema, description, example }) => (
            <tr key={name}>
              <td>
                <code>{name}</code>
                {isRequired && <span className="required">required</span>}
                {isDeprecated && <span className="required">deprecated</span>}
              </td>
              <td className="member-type">{typeText(schema)}</td>
              <td>
                <Nodes nodes={description} />
                <Details schema={{ ...shownBeside(schema, description), ...exampleOf(schema, example) }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The parameter's own description replaces that of its schema. */
function shownBeside({ example: _, ...schema }: DescribedSchema, description: unknown): DescribedSchema {
  return description ? { ...schema, description: [] } : schema;
}

/** An example beside the possible values, or equal to the default, adds nothing. */
function exampleOf({ values, default: usual }: DescribedSchema, example: string | undefined) {
  return example === undefined || values || usual !== undefined ? {} : { example };
}

function Contents({ contents }: { contents: Response["contents"] }) {
  const [chosen, setChosen] = useState(0);
  const content = contents[chosen];
  if (!content) return null;
  return (
    <div className="stack stack-tight">
      {contents.length > 1 ? (
        <select
          className="select content-type"
          aria-label="Content type"
          value={chosen}
          onChange={(event) => setChosen(Number(event.target.value))}
        >
          {contents.map(({ mediaType }, index) => (
            <option key={mediaType} value={index}>
              {mediaType}
            </option>
          ))}
        </select>
      ) : (
        <p className="small muted mono">
          {content.mediaType}
          {content.schema && <span className="member-type"> · {typeText(content.schema)}</span>}
        </p>
      )}
      {content.schema && <SchemaView schema={content.schema} />}
    </div>
  );
}

type Response = OperationPage["responses"][number];

const usualOf = (responses: Response[]): Response | undefined =>
  responses.find(({ status }) => status.startsWith("2")) ?? responses[0];

/** The examples of all documented responses, the usual one first. */
export function ResponseExamples({ operation: { responses } }: { operation: OperationPage }) {
  const [chosen, setChosen] = useState(usualOf(responses)?.status);
  const response = responses.find(({ status }) => status === chosen);
  if (!response) return null;
  const example = response.contents.find((content) => content.example !== undefined)?.example;
  return (
    <div className="response-samples">
      <SampleTabs label="Response" names={responses.map(({ status }) => status)} shown={chosen} onChoose={setChosen} />
      {example === undefined ? (
        <div className="code-block response-empty">
          {response.description ? <Nodes nodes={response.description} /> : <p>{response.status}</p>}
          <p className="muted small">The document has no example of its body.</p>
        </div>
      ) : (
        <CodeBlock text={example} label={`Response ${response.status}`} />
      )}
    </div>
  );
}

/** Method and path, as at the top of a page. */
export function OperationLine({ operation, url }: { operation: OperationPage; url: string }) {
  return (
    <p className="op-line">
      <Method method={operation.method} />
      <code className="wrap-anywhere">
        <span className="muted">{url}</span>
        {operation.path}
      </code>
    </p>
  );
}
