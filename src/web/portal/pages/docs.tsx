import { FileText, Play } from "lucide-react";
import { useState } from "react";
import type {
  OperationPage,
  PortalKey,
  PortalSession,
  PortalSite,
  PortalTry,
  PublishedApi,
} from "../../../client/transport/portal-schema.gen.ts";
import { Button } from "../../components/button.tsx";
import { SelectField } from "../../components/field.tsx";
import { EmptyState, LoadError, SkeletonLines } from "../../components/notice.tsx";
import { now } from "../../lib/clock.ts";
import { shownKey } from "../../lib/format.ts";
import { usePath } from "../../lib/router.tsx";
import { Reference } from "../../reference/reference.tsx";
import type { ReferenceApi } from "../../reference/reference-api.ts";
import { type TriedRequest, TryForm } from "../../reference/try-form.tsx";
import { call, useRead } from "../queries/api.ts";
import { useCreatedKey } from "../queries/kept-keys.ts";
import { PageHead } from "../shell/page-head.tsx";

const docsPath = "/docs";

const staleTime = 60_000;

interface DocsProps {
  site: PortalSite;
  session: PortalSession | null;
}

/** The reference and the guides of the portal's APIs. */
export default function Docs({ site, session }: DocsProps) {
  const documentation = useRead("getPortalDocumentation", { staleTime });
  const path = decodeURIComponent(usePath())
    .slice(docsPath.length + 1)
    .replace(/\/$/, "");
  if (documentation.error) return <LoadError error={documentation.error} />;
  const apis = documentation.data?.data;
  if (!apis) return <SkeletonLines />;
  const [slug, ...rest] = path.split("/");
  const api = path === "" ? apis[0] : apis.find((each) => each.slug === slug);
  if (!api)
    return (
      <>
        <PageHead title="Documentation" />
        <EmptyState icon={FileText} title={apis.length === 0 ? "No documentation yet" : "There is no such page"}>
          {apis.length === 0
            ? "The reference and the guides appear here with the next deployment of the API."
            : "The address may be mistyped, or the page was removed."}
        </EmptyState>
      </>
    );
  return <Page apis={apis} api={api} page={rest.join("/")} site={site} session={session} />;
}

interface PageProps extends DocsProps {
  apis: PublishedApi[];
  api: PublishedApi;
  page: string;
}

/** Samples have the visitor's own key if it was created since the page was loaded. */
function Page({ apis, api, page, site, session }: PageProps) {
  const path = page === "" ? api.slug : `${api.slug}/${page}`;
  const loaded = useRead("getPortalPage", { query: { path }, staleTime });
  const key = useCreatedKey() ?? "YOUR_API_KEY";
  const presented = ({ slug, ...each }: PublishedApi): ReferenceApi => ({ ...each, base: `${docsPath}/${slug}`, key });
  return (
    <Reference
      apis={apis.map(presented)}
      api={presented(api)}
      page={page}
      loaded={loaded}
      siteTitle={site.title}
      markdown={`${docsPath}/${path}.md`}
      tryIt={(operation) => <TryIt operation={operation} api={api} session={session} />}
    />
  );
}

interface TryItProps {
  operation: OperationPage;
  api: PublishedApi;
  session: PortalSession | null;
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Sends the operation as one of the visitor's keys. */
export function TryIt({ operation, api, session }: TryItProps) {
  const [isOpen, setOpen] = useState(false);
  if (!session?.scopes.includes("keys:write") || !methods.includes(operation.method)) return null;
  if (!isOpen)
    return (
      <Button kind="primary" onClick={() => setOpen(true)}>
        <Play size={14} aria-hidden />
        Try it
      </Button>
    );
  return <Form operation={operation} api={api} />;
}

/** Whether requests with the key are accepted now. */
const isUsable = ({ isEnabled, expiresOn }: PortalKey): boolean =>
  isEnabled && (expiresOn === null || new Date(expiresOn).getTime() > now());

function Form({ operation, api: { deployment } }: Omit<TryItProps, "session">) {
  const [keyId, setKeyId] = useState<string>();
  const keys = useRead("listPortalKeys");
  const created = useCreatedKey();
  const usable = keys.data?.data.filter(isUsable).toReversed() ?? [];
  // Lists have the last characters of a key, after asterisks.
  const own = usable.find(({ key }) => created?.endsWith(key.replace(/^\*+/, "")));
  const chosen = keyId ?? (own ?? usable[0])?.id ?? "";
  const send = ({ method, body, ...request }: TriedRequest) =>
    call("tryPortalOperation", {
      body: {
        ...request,
        deployment,
        method: method as PortalTry["method"],
        ...(typeof body === "string" && { body }),
        ...(operation.keyHeader && chosen !== "" && { keyId: chosen }),
      },
    });
  return (
    <TryForm
      operation={operation}
      note="The request is real: it counts against your plan."
      send={send}
      authentication={
        operation.keyHeader &&
        (usable.length === 0 ? (
          <p className="small muted">You have no key that works. Create one under Keys first.</p>
        ) : (
          <SelectField
            label="Key"
            value={chosen}
            onChange={(event) => setKeyId(event.target.value)}
            options={usable.map(({ id, description, key }) => ({
              value: id,
              label: description ? `${description} (${shownKey(key)})` : shownKey(key),
            }))}
          />
        ))
      }
    />
  );
}
