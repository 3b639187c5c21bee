import { ChevronRight } from "lucide-react";
import { type ReactNode, useContext } from "react";
import type { DescribedSchema } from "../../client/transport/portal-schema.gen.ts";
import { Badge } from "../components/badge.tsx";
import { capitalized } from "../lib/format.ts";
import { Link } from "../lib/router.tsx";
import { Base, Nodes } from "./nodes.tsx";

interface ViewProps {
  schema: DescribedSchema;
}

/** The members of a schema. Those of inner schemas are folded. */
export function SchemaView({ schema }: ViewProps): ReactNode {
  const { properties = [], items, others, variants } = schema;
  if (items && properties.length === 0) return <SchemaView schema={items} />;
  if (properties.length === 0 && !others && !variants) return <Details schema={schema} />;
  return (
    <ul className="members">
      {properties.map(({ name, isRequired, schema: member }) => (
        <Member key={name} name={<code>{name}</code>} isRequired={isRequired} schema={member} />
      ))}
      {others && <Member name={<em>any other name</em>} schema={others} />}
      {variants && (
        <li className="variants">
          <p className="muted small">
            {schema.variantKind === "one" ? "One of" : "Any of"}
            {schema.discriminator && (
              <>
                , by <code>{schema.discriminator}</code>
              </>
            )}
          </p>
          {variants.map((variant, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: variants have no other name.
            <Variant key={index} schema={variant} />
          ))}
        </li>
      )}
    </ul>
  );
}

const hasMembers = ({ properties, items, others, variants }: DescribedSchema): boolean =>
  Boolean(properties?.length || others || variants || (items && hasMembers(items)));

export function typeText({ type, name, format }: DescribedSchema): string {
  const shown = name !== undefined && !type.includes("array") ? name : type;
  return format === undefined ? shown : `${shown} · ${format}`;
}

function Member({ name, isRequired = false, schema }: ViewProps & { name: ReactNode; isRequired?: boolean }) {
  return (
    <li className="member">
      <div className="member-head">
        {name}
        <span className="member-type">{typeText(schema)}</span>
        {isRequired && <span className="required">required</span>}
        {schema.access && <Badge>{schema.access === "read" ? "read-only" : "write-only"}</Badge>}
        {schema.isDeprecated && <Badge tone="amber">Deprecated</Badge>}
      </div>
      <Details schema={schema} />
      {hasMembers(schema) && <Inner schema={schema} />}
    </li>
  );
}

function Variant({ schema }: ViewProps) {
  if (!hasMembers(schema))
    return (
      <div className="member">
        <div className="member-head">
          <span className="member-type">{typeText(schema)}</span>
        </div>
        <Details schema={schema} />
      </div>
    );
  return <Inner schema={schema} label={typeText(schema)} />;
}

function Inner({ schema, label }: ViewProps & { label?: string }) {
  return (
    <details className="inner">
      <summary>
        <ChevronRight size={14} aria-hidden />
        {label ?? "Members"}
      </summary>
      <SchemaView schema={schema} />
    </details>
  );
}

/** The description, rules, values and example of a schema. */
export function Details({ schema }: ViewProps) {
  const base = useContext(Base);
  const { description, rules, values, default: value, example, page, name } = schema;
  return (
    <div className="details">
      <Nodes nodes={description} />
      {rules && <p className="small muted">{sentence(rules.join(", "))}</p>}
      {values && (
        <p className="small values">
          {values.map((each) => (
            <code key={each}>{plain(each)}</code>
          ))}
        </p>
      )}
      {value !== undefined && (
        <p className="small muted">
          Default: <code>{plain(value)}</code>
        </p>
      )}
      {example !== undefined && (
        <p className="small muted">
          Example: <code>{plain(example)}</code>
        </p>
      )}
      {page !== undefined && (
        <p className="small">
          <Link href={`${base}/${page}`}>{name ?? "Schema"}</Link>
        </p>
      )}
    </div>
  );
}

/** Without the quotes of JSON, unless they tell a string from a number. */
const plain = (json: string): string => json.replace(/^"([^"\\]*[a-zA-Z_][^"\\]*)"$/, "$1");

const sentence = (text: string): string => `${capitalized(text)}.`;
