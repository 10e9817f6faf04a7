"""The conformance matrix: every type by nullability, shape of data, file version, and release of pylance."""
