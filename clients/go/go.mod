module example.com/tollgate/clients/go

go 1.19
