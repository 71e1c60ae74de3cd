module example.org/ripple/tools/release

go 1.26.0

require (
	github.com/CycloneDX/cyclonedx-go v0.12.0
	golang.org/x/mod v0.30.0
	gopkg.in/yaml.v3 v3.0.1
)
