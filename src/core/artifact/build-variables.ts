/** A variable of a project in a build. */
export interface BuildVariable {
  name: string;
  environments: string[];
  /** Absent for a secret: builds reference secrets and never receive their values. */
  value?: string;
  /** A caller with limited access set it. */
  isLimited?: true;
}

/** The input of a build in addition to the archive. */
export interface BuildVariables {
  branch: string;
  /** The project's production branch before this build, which may declare another. */
  productionBranch?: string | undefined;
  /** The build must not change the production branch. */
  isPreviewOnly?: boolean;
  /** The access of the caller is limited to projects or deployments. */
  isLimited?: boolean;
  variables: BuildVariable[];
}
