import { useState } from "react";
import type { Traffic, TrafficSplit } from "../../../../client/index.ts";
import { FormDialog } from "../../../components/dialog.tsx";
import { bindForm, Checkbox, SelectField, TextField } from "../../../components/field.tsx";
import { command } from "../../../lib/shell.ts";
import { CopyAs, useCall } from "../../shell/requests.tsx";

interface Props {
  name: string;
  traffic: Traffic;
  /** The versions that can get a share, newest first. */
  numbers: number[];
  onClose: () => void;
}

/** Starts a canary release, or changes the shares and rules of the running one. */
export function SplitTraffic({ name, traffic, numbers, onClose }: Props) {
  const canary = traffic.splits[1];
  const live = traffic.liveVersionNumber!;
  const [form, setForm] = useState({
    version: String(canary?.versionNumber ?? numbers[0]),
    percent: String(Math.round((canary?.share ?? 0.05) * 100)),
    stickyBy: traffic.stickyBy ?? "",
    isAborted: canary ? traffic.abort !== undefined : true,
    errors: String((traffic.abort?.errorShare ?? 0.05) * 100),
    minimum: String(traffic.abort?.minimumRequests ?? 100),
  });
  const { version, percent, stickyBy, isAborted, errors, minimum } = form;
  const share = Number(percent);
  const isValid = Number.isInteger(share) && share >= 0 && share <= 100 && percent !== "";
  const split: TrafficSplit = {
    splits: [
      { versionNumber: live, weight: 100 - share },
      { versionNumber: Number(version), weight: share },
    ],
    stickyBy: (stickyBy || undefined) as TrafficSplit["stickyBy"],
    abort: isAborted ? { errorShare: Number(errors) / 100, minimumRequests: Number(minimum) } : undefined,
  };
  const save = useCall({
    call: (api) => api.traffic.split(name, split),
    done: `Version ${version} gets ${percent} % of the requests`,
    onSuccess: onClose,
  });
  const { field, checkbox } = bindForm(form, setForm, save.errors);
  return (
    <FormDialog
      title={canary ? "Change the canary release" : "Start a canary release"}
      mutation={save}
      submit={canary ? "Change the release" : "Start the release"}
      disabled={!isValid}
      onClose={onClose}
      footStart={
        <CopyAs
          call={save.call}
          command={command(
            ...["traffic", "split", name, "--version", version, "--percent", percent],
            ...(stickyBy ? ["--sticky-by", stickyBy] : []),
            ...(isAborted ? ["--abort-errors", errors, "--abort-minimum", minimum] : []),
          )}
        />
      }
    >
      <SelectField
        label="Version"
        options={numbers.map((number) => ({ value: String(number), label: `Version ${number}` }))}
        {...field("version")}
      />
      <TextField
        label="Share of the requests in percent"
        inputMode="numeric"
        hint={isValid ? `Version ${live} keeps ${100 - share} %.` : undefined}
        {...field("percent")}
        error={isValid ? undefined : "must be a whole number from 0 to 100"}
      />
      <SelectField
        label="Keep clients on one version"
        options={[
          { value: "", label: "No, each request is assigned separately" },
          { value: "credential", label: "By credential" },
          { value: "ip", label: "By address" },
        ]}
        {...field("stickyBy")}
      />
      <Checkbox label="Abort automatically if too many requests fail" {...checkbox("isAborted")} />
      {isAborted && (
        <div className="columns columns-even">
          <TextField label="Failed requests in percent" inputMode="decimal" {...field("errors")} />
          <TextField label="Minimum number of requests in 60 seconds" inputMode="numeric" {...field("minimum")} />
        </div>
      )}
    </FormDialog>
  );
}
