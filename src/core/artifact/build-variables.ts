/** A variable of a project as a build sees it. */
export interface BuildVariable {
  name: string;
  environments: string[];
  /** Absent for a secret: builds refer to secrets and never see them. */
  value?: string;
}

/** What a build knows of its project beside the archive. */
export interface BuildVariables {
  branch: string;
  /** The project's production branch before this build, which may declare another. */
  productionBranch?: string | undefined;
  variables: BuildVariable[];
}
