import type { Consumer } from "../../../../client/index.ts";
import { Code, Copyable } from "../../../components/copy.tsx";
import { RelativeTime } from "../../../components/time.tsx";

export function ConsumerDetails({ consumer }: { consumer: Consumer }) {
  const { id, description, createdOn, updatedOn, metadata, tags } = consumer;
  return (
    <div className="stack">
      <dl className="facts card">
        {description && (
          <>
            <dt>Description</dt>
            <dd className="wrap-anywhere">{description}</dd>
          </>
        )}
        <dt>Id</dt>
        <dd>
          <Copyable text={id} />
        </dd>
        <dt>Created</dt>
        <dd>
          <RelativeTime time={createdOn} />
        </dd>
        <dt>Changed</dt>
        <dd>
          <RelativeTime time={updatedOn} />
        </dd>
      </dl>
      {Object.keys(tags ?? {}).length > 0 && (
        <section className="stack stack-tight">
          <h2>Tags</h2>
          <dl className="facts card">
            {Object.entries(tags ?? {}).map(([name, value]) => [
              <dt key={`${name} name`}>{name}</dt>,
              <dd key={`${name} value`}>{String(value)}</dd>,
            ])}
          </dl>
        </section>
      )}
      <section className="stack stack-tight">
        <h2>Metadata</h2>
        {metadata ? (
          <Code text={JSON.stringify(metadata, null, 2)} />
        ) : (
          <p className="muted">
            No metadata. Gateways pass metadata to your code as the data of the user (the consumer).
          </p>
        )}
      </section>
    </div>
  );
}
