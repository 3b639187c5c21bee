module example.com/app

go 1.19

require example.com/tollgate/clients/go v0.1.0

replace example.com/tollgate/clients/go => ../../../../clients/go
