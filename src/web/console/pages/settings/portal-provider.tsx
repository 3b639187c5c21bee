import type { Portal, PortalUpdate } from "../../../../client/index.ts";
import { CopyButton } from "../../../components/copy.tsx";
import { bindForm, TextField } from "../../../components/field.tsx";

interface ProviderFields {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

export const providerOf = (portal: Portal | null): ProviderFields => ({
  issuer: portal?.oidc?.issuer ?? "",
  clientId: portal?.oidc?.clientId ?? "",
  clientSecret: "",
});

/** Undefined without a provider. A secret that is left empty stays as it is. */
export function providerSettings({ issuer, clientId, clientSecret }: ProviderFields): PortalUpdate["oidc"] {
  if (issuer === "" && clientId === "" && clientSecret === "") return undefined;
  return { issuer, clientId, clientSecret: clientSecret || undefined };
}

interface ProviderFieldsetProps {
  portal: Portal | null;
  value: ProviderFields;
  errors: Record<string, string>;
  onChange: (value: ProviderFields) => void;
}

/** The identity provider that customers sign in with. */
export function ProviderFieldset({ portal, value, errors, onChange }: ProviderFieldsetProps) {
  const { field } = bindForm(value, onChange, errors, { at: "/oidc", isTrimmed: true });
  const known = portal?.oidc;
  const keepsSecret = known !== undefined && known.issuer === value.issuer && known.clientId === value.clientId;
  const redirect = portal && `${portal.url}/sign-in/provider/callback`;
  return (
    <fieldset className="plain-fieldset stack">
      <legend>Identity provider of your customers</legend>
      <p className="muted small">
        OpenID Connect. Customers can also sign in with it. Leave all three fields empty to turn it off.
      </p>
      <TextField label="Issuer" isOptional isMono placeholder="https://login.acme.example" {...field("issuer")} />
      <TextField label="Client ID" isOptional isMono {...field("clientId")} />
      <TextField
        label="Client secret"
        isOptional
        isMono
        type="password"
        autoComplete="off"
        hint={keepsSecret ? "Stored encrypted. Leave it empty to keep it." : "Stored encrypted, and never shown again."}
        {...field("clientSecret")}
      />
      {redirect ? (
        <p className="muted small">
          Redirect address for the provider: <code>{redirect}</code>{" "}
          <CopyButton text={redirect} label="Copy the redirect address" />
        </p>
      ) : (
        <p className="muted small">The redirect address for the provider is shown once the portal exists.</p>
      )}
    </fieldset>
  );
}
