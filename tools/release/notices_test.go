package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNotices(t *testing.T) {
	file := filepath.Join(t.TempDir(), "licenses")
	list, err := modules(".", "", []string{"linux"})
	if err != nil {
		t.Fatal(err)
	}
	if err := notices(file, list); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nstd go1.", "\ngolang.org/x/mod v", "Neither the name of", "\ngithub.com/CycloneDX/cyclonedx-go v0."} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestLicenseID(t *testing.T) {
	for text, want := range map[string]string{
		"Permission is hereby granted,\n free of charge, to any person":                                                "MIT",
		"Apache License\n   Version 2.0, January 2004":                                                                 "Apache-2.0",
		"Redistribution and use in source and binary forms":                                                            "BSD-2-Clause",
		"Redistribution and use in source and binary forms … may be used to endorse or promote\nproducts derived from": "BSD-3-Clause",
		"Apache License Version 2.0 Permission is hereby granted, free of charge, to any person":                       "MIT AND Apache-2.0",
		"may be used to endorse or promote products derived from … GNU General Public License":                         "",
		"All rights reserved.": "",
	} {
		if got := licenseID([][]byte{[]byte(text)}); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}
