import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ExternalLink, ScrollText, Store } from "lucide-react";
import { useState } from "react";
import type { Portal } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { bindForm, Checkbox, SelectField, TextField } from "../../../components/field.tsx";
import { Form, FormSection, SaveBar } from "../../../components/form.tsx";
import { EmptyState, ErrorNotice, LoadError, Notice, SkeletonLines } from "../../../components/notice.tsx";
import { ListField, optionsWith, Rows } from "../../../components/rows.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { closeGuarded } from "../../../lib/unsaved.ts";
import { BucketSelect, useChosenKeyBucket, useMeteringBuckets } from "../../queries/buckets.tsx";
import { usePortal } from "../../queries/portal.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { AsCommand, useCall } from "../../shell/requests.tsx";
import { usePlans } from "../subscriptions/plans.ts";
import { AccessRequests } from "./access-requests.tsx";
import { Authorizations } from "./authorizations.tsx";
import { ColorField } from "./color-field.tsx";
import { ImageField } from "./image-field.tsx";
import { OAuthClients } from "./oauth-clients.tsx";
import { formOf, settingsOf } from "./portal-form.ts";
import { PortalFunnel } from "./portal-funnel.tsx";
import { PortalMails } from "./portal-mails.tsx";
import { PortalPreview } from "./portal-preview.tsx";
import { ProviderFieldset, providerOf } from "./portal-provider.tsx";

export function PortalSettings() {
  const [chosen, setChosen] = useState<string>();
  const { names, bucket } = useChosenKeyBucket(chosen);
  const portal = usePortal(bucket);
  if (names?.length === 0)
    return (
      <EmptyState
        icon={Store}
        title="No key buckets yet"
        guide="portal"
        action={
          <Link className="button" data-kind="primary" to="/consumers" search={{ new: true }}>
            Create consumer
          </Link>
        }
      >
        A portal is for the consumers of a key bucket. The first consumer creates one.
      </EmptyState>
    );
  if (portal.error) return <LoadError error={portal.error} />;
  if (bucket === undefined || portal.data === undefined) return <SkeletonLines />;
  return (
    <>
      <div className="section-head">
        <p className="muted">
          A site where the customers of a key bucket create and roll their keys, and see usage and failed requests.
        </p>
        <div className="row row-wrap">
          <AsCommand call={(api) => api.portal(bucket).get()} />
          {portal.data && (
            <Link className="button" to="/audit-log" search={{ actorType: "manager" }}>
              <ScrollText size={16} aria-hidden />
              Customers' actions
            </Link>
          )}
          <BucketSelect
            label="Key bucket"
            value={bucket}
            names={names}
            onChange={(name) => closeGuarded(null, () => setChosen(name))}
          />
          {portal.data?.isEnabled && (
            <a className="button" href={portal.data.url} target="_blank" rel="noreferrer">
              <ExternalLink size={16} aria-hidden />
              Open portal
            </a>
          )}
        </div>
      </div>
      {portal.data?.warnings && (
        <Notice kind="warning">
          {portal.data.warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
          <Link to="/settings" search={{ tab: "billing" }}>
            Billing settings
          </Link>
        </Notice>
      )}
      {portal.data && <PortalFunnel bucket={bucket} />}
      {portal.data && <AccessRequests bucket={bucket} isOpen={portal.data.signUp === "approval"} />}
      {portal.data?.oauth && (
        <div className="stack portal-programs">
          <Authorizations bucket={bucket} />
          <OAuthClients bucket={bucket} />
        </div>
      )}
      <PortalForm key={bucket} bucket={bucket} portal={portal.data} />
    </>
  );
}

/** The other settings of OAuth stay, also while it is off. */
function withRegistration(oauth: Portal["oauth"], chosen: string): Portal["oauth"] {
  const kept = oauth ?? { isEnabled: false, registration: "closed", accessTokenMinutes: 15, refreshDays: 30 };
  if (chosen === "off") return oauth && { ...kept, isEnabled: false };
  return { ...kept, isEnabled: true, registration: chosen as typeof kept.registration };
}

function PortalForm({ bucket, portal }: { bucket: string; portal: Portal | null }) {
  const { deniedEdit } = useSession();
  const queries = useQueryClient();
  const [form, setForm] = useState(() => formOf(portal));
  const metering = useMeteringBuckets();
  const deployments = useRead(["deployments", "names"], (api, { signal }) =>
    api.deployments.listAll({ limit: 100, signal }).page(),
  );
  const save = useCall({
    call: (api) => api.portal(bucket).set(settingsOf(form)),
    done: portal ? "Portal saved" : "Portal created",
    onSuccess: (saved) => {
      queries.setQueryData(["portal", bucket], saved);
      // The secret is stored, and not kept here.
      setForm((current) => ({ ...current, oidc: providerOf(saved) }));
    },
  });
  const errors = save.errors;
  const { field, checkbox } = bindForm(form, setForm, errors);
  const options = usePlans(form.meteringBucket || undefined).data?.flatMap(({ planExternalId, label }) =>
    planExternalId ? { value: planExternalId, label } : [],
  );
  const domains = useRead(["domains"], (api, { signal }) => api.domains.list({ signal }).all());
  const hosts = domains.data?.flatMap(({ host, status }) => (status === "active" ? { value: host, label: host } : []));
  const listField = (at: "allowedDomains" | "plans" | "returnOrigins") => ({
    rows: form[at],
    onChange: (rows: string[]) => setForm({ ...form, [at]: rows }),
    at: `/${at}`,
    errors,
  });
  const isChanged = JSON.stringify(settingsOf(form)) !== JSON.stringify(settingsOf(formOf(portal)));
  return (
    <div className="columns portal-columns">
      <Form className="stack" aria-label="Portal" onSubmit={() => save.mutate()}>
        {save.error && <ErrorNotice error={save.error} />}
        <FormSection title="Appearance">
          <TextField label="Title" hint="The name of your API or business." {...field("title")} />
          <TextField
            label="Description"
            isOptional
            hint="What the API does, in one sentence."
            {...field("description")}
          />
          <ImageField value={form.logo} error={errors["/logo"]} onChange={(logo) => setForm({ ...form, logo })} />
          <ColorField
            label="Accent colour"
            placeholder="#0b6b68"
            value={form.accentColor}
            error={errorAt(errors, "/accentColor")}
            onChange={(accentColor) => setForm({ ...form, accentColor })}
          />
          <Rows
            legend="Links"
            one="link"
            rows={form.links}
            empty={{ label: "", url: "" }}
            onChange={(links) => setForm({ ...form, links })}
          >
            {(link, set, index) => {
              const { field: cell } = bindForm(link, set, errors, { at: `/links/${index}` });
              return (
                <>
                  <TextField label="Label" placeholder="Status" {...cell("label")} />
                  <TextField label="URL" isMono placeholder="https://…" {...cell("url")} />
                </>
              );
            }}
          </Rows>
          <TextField label="Terms" isOptional isMono placeholder="https://…" {...field("termsUrl")} />
        </FormSection>
        <FormSection title="APIs and keys">
          <fieldset className="choices choices-stacked">
            <legend>APIs that customers see</legend>
            {deployments.data?.data.length === 0 && <span className="muted small">There are no deployments yet.</span>}
            {deployments.data?.data.map(({ name }) => (
              <Checkbox
                key={name}
                label={name}
                checked={form.deployments.includes(name)}
                onChange={({ target }) => {
                  const others = form.deployments.filter((each) => each !== name);
                  setForm({ ...form, deployments: target.checked ? [...others, name] : others });
                }}
              />
            ))}
          </fieldset>
          <Checkbox label="Everyone may read the reference and the guides" {...checkbox("isReferencePublic")} />
          <TextField label="Keys per customer" inputMode="numeric" {...field("keyLimit")} />
        </FormSection>
        <FormSection title="Sign-up and sign-in">
          <SelectField
            label="Sign-up"
            options={[
              { value: "closed", label: "Closed: only managers and invited people sign in" },
              { value: "domains", label: "People with an email address of certain domains" },
              { value: "approval", label: "People whose request you approve" },
              { value: "open", label: "Open to everyone" },
            ]}
            {...field("signUp")}
          />
          {form.signUp === "domains" && (
            <ListField
              legend="Email domains"
              one="domain"
              placeholder="acme.example"
              hint="Subdomains are domains of their own."
              {...listField("allowedDomains")}
            />
          )}
          <ProviderFieldset
            portal={portal}
            value={form.oidc}
            errors={errors}
            onChange={(oidc) => setForm({ ...form, oidc })}
          />
          <SelectField
            label="OAuth"
            hint="Customers can give programs access without a key."
            value={form.oauth?.isEnabled ? form.oauth.registration : "off"}
            options={[
              { value: "off", label: "Off" },
              { value: "closed", label: "Programs that you or a customer created" },
              { value: "metadata", label: "Also programs with a metadata document" },
              { value: "open", label: "Also programs that register themselves" },
            ]}
            error={errorAt(errors, "/oauth")}
            onChange={(event) => setForm({ ...form, oauth: withRegistration(form.oauth, event.target.value) })}
          />
        </FormSection>
        <FormSection title="Plans and usage">
          <SelectField
            label="Metering bucket"
            isOptional
            hint="Customers see the usage of their subscription, and the plans of this bucket."
            options={optionsWith(
              metering.data?.map(({ id, name }) => ({ value: id, label: name ?? id })) ?? [],
              form.meteringBucket,
            )}
            {...field("meteringBucket")}
          />
          {form.meteringBucket !== "" && (
            <>
              <ListField
                legend="Plans to choose from"
                one="plan"
                hint="In this order. Without any, customers see the public plans."
                options={options ?? []}
                {...listField("plans")}
              />
              <SelectField
                label="Recommended plan"
                isOptional
                hint="Its card is marked."
                options={optionsWith(options ?? [], form.recommendedPlan)}
                {...field("recommendedPlan")}
              />
              {form.signUp !== "closed" && (
                <SelectField
                  label="Plan of new customers"
                  isOptional
                  options={optionsWith(options ?? [], form.signUpPlan)}
                  {...field("signUpPlan")}
                />
              )}
            </>
          )}
        </FormSection>
        <FormSection title="Mail to customers">
          <PortalMails
            bucket={bucket}
            isStored={portal !== null}
            value={form.mails ?? {}}
            onChange={(mails) => setForm({ ...form, mails })}
          />
        </FormSection>
        <FormSection title="Address">
          <SelectField
            label="Host"
            isOptional
            isMono
            hint="A verified domain of this account."
            options={optionsWith(hosts ?? [], form.host, "The server's")}
            {...field("host")}
          />
          <ListField
            legend="Return origins"
            one="origin"
            placeholder="https://app.example.com"
            hint="Where a hand-off may lead back to."
            {...listField("returnOrigins")}
          />
          <Checkbox label="The portal is online" {...checkbox("isEnabled")} />
        </FormSection>
        <SaveBar isChanged={isChanged} onDiscard={() => setForm(formOf(portal))}>
          <Button type="submit" kind="primary" isBusy={save.isPending} denied={deniedEdit}>
            {portal ? "Save portal" : "Create portal"}
          </Button>
        </SaveBar>
      </Form>
      <PortalPreview bucket={bucket} form={form} />
    </div>
  );
}
