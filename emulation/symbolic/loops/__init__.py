"""Loop summaries: one iteration is executed on placeholders, and the others follow from it."""
